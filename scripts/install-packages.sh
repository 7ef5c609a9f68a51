#!/bin/sh
# Installs the missing system libraries of SoupKit on Debian and Ubuntu; macOS contains them.
#
#   scripts/install-packages.sh [PACKAGE...]     further packages to install
set -eu

[ "$(uname)" = "Linux" ] || exit 0

missing=""
for package in libsqlite3-dev libcurl4-openssl-dev zlib1g-dev "$@"; do
    dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "Packages are missing. Install them with your package manager:$missing" >&2
    exit 1
fi

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    as_root="sudo"
fi
echo "installing$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq $missing >/dev/null
