// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
#include "placeholder.h"
void placeholder(void) {}
