#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: an unknown name is answered with the nearest known one
# requires: podman
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
podman_run website sleep 1000
refuse "one letter off" 'website' ctrace trace websiet
refuse "an id prefix of nobody" 'ctrace ps' ctrace trace 0123456789ab
