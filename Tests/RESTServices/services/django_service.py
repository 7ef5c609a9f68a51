# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""A service of Django REST framework: numbered pages, cursors and offsets, in three lists of one kind of record.

    python django_service.py PORT
"""

import sys

import django
from django.conf import settings

settings.configure(
    DEBUG=False,
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="a key of a test",
    USE_TZ=True,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "file:contacts?mode=memory&cache=shared"}},
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework"],
    REST_FRAMEWORK={"DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"]},
)
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.http import JsonResponse  # noqa: E402
from django.urls import include, path  # noqa: E402
from django.utils.dateparse import parse_datetime  # noqa: E402
from rest_framework import pagination, routers, serializers, viewsets  # noqa: E402


class Contact(models.Model):
    name = models.CharField(max_length=20)
    city = models.CharField(max_length=40, blank=True, default="")
    client_id = models.CharField(max_length=64, null=True, unique=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        app_label = "contacts"


class ContactSerializer(serializers.ModelSerializer):
    class Meta:
        model = Contact
        fields = ["id", "name", "city", "client_id", "updated_at"]


class Numbers(pagination.PageNumberPagination):
    page_size = 2


class Cursors(pagination.CursorPagination):
    page_size = 2
    ordering = ("updated_at", "id")


class Offsets(pagination.LimitOffsetPagination):
    default_limit = 2


class Contacts(viewsets.ModelViewSet):
    serializer_class = ContactSerializer

    def get_queryset(self):
        found = Contact.objects.order_by("updated_at", "id")
        if since := self.request.query_params.get("since"):
            found = found.filter(updated_at__gte=parse_datetime(since))
        if key := self.request.query_params.get("client_id"):
            found = found.filter(client_id=key)
        return found


class NumberedContacts(Contacts):
    pagination_class = Numbers


class CursorContacts(Contacts):
    pagination_class = Cursors


class OffsetContacts(Contacts):
    pagination_class = Offsets


router = routers.DefaultRouter()
router.register("numbers", NumberedContacts, basename="numbers")
router.register("cursors", CursorContacts, basename="cursors")
router.register("offsets", OffsetContacts, basename="offsets")


# For the tests: copies of all records.
kept = {}


def keep(request, name):
    kept[name] = list(Contact.objects.values())
    return JsonResponse({})


def restore(request, name):
    Contact.objects.all().delete()
    Contact.objects.bulk_create(Contact(**values) for values in kept[name])
    for values in kept[name]:
        # The creation sets the current time.
        Contact.objects.filter(id=values["id"]).update(updated_at=values["updated_at"])
    return JsonResponse({})


urlpatterns = [path("api/", include(router.urls)), path("keep/<name>", keep), path("restore/<name>", restore)]


if __name__ == "__main__":
    # The first connection keeps the database in memory.
    with connection.schema_editor() as editor:
        editor.create_model(Contact)
    call_command("runserver", f"127.0.0.1:{sys.argv[1]}", "--noreload", "--skip-checks")
