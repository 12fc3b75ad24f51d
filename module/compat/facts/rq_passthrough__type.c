// SPDX-License-Identifier: GPL-2.0-only
/* before 4.11 */
#include <linux/blkdev.h>
bool ctrace_fact(struct request *rq);
bool ctrace_fact(struct request *rq) { return rq->cmd_type != REQ_TYPE_FS; }
