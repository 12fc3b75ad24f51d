// SPDX-License-Identifier: GPL-2.0-only
/* since 6.7: a file that overlayfs opened in a layer has the path of the layer, and the program's path behind it */
#include <linux/fs.h>
const struct path *ctrace_fact(struct file *file);
const struct path *ctrace_fact(struct file *file) { return file_user_path(file); }
