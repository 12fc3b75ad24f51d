# SPDX-License-Identifier: LGPL-2.1-only
"""where.py PREFIX: prints where this interpreter looks for packages that are installed below PREFIX."""
import site
import sys
import sysconfig

prefix = sys.argv[1].rstrip("/")
places = [p for p in site.getsitepackages() if p.startswith(prefix + "/")]
if prefix == "/usr":  # /usr/local is another prefix
    places = [p for p in places if not p.startswith("/usr/local/")]
print(places[0] if places else sysconfig.get_path("platlib", vars={"base": prefix, "platbase": prefix}))
