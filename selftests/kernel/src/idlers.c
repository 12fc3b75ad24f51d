// SPDX-License-Identifier: GPL-2.0-only
/*
 * idlers THREADS: makes THREADS threads, in processes of at most 1000. Each makes a call from time to time, all together some 400 a
 * second. Prints "ready N" when all exist: each has made a call after N seconds more. They end with their
 * parent.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#define EACH	1000

#define A_SECOND	400

static int ready[2];
static unsigned int period;

static void *thread(void *arg)
{
	if (write(ready[1], "", 1) != 1)
		_exit(1);
	for (;;) {
		sleep(period);
		getppid();
	}
	return arg;
}

static void process(long n)
{
	pthread_attr_t small;
	pthread_t t;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	while (n-- > 1)
		if (pthread_create(&t, &small, thread, NULL)) {
			perror("idlers: a thread");
			_exit(1);
		}
	thread(NULL);
}

int main(int argc, char **argv)
{
	long n = argc == 2 ? atol(argv[1]) : 0, left;
	char c;

	if (n < 1 || pipe(ready)) {
		fprintf(stderr, "usage: idlers THREADS\n");
		return 2;
	}
	period = n / A_SECOND + 1;
	for (left = n; left > 0; left -= EACH)
		switch (fork()) {
		case -1:
			perror("idlers: a process");
			return 1;
		case 0:
			close(ready[0]);
			process(left < EACH ? left : EACH);
		}
	close(ready[1]);
	for (left = n; left > 0; left--)
		if (read(ready[0], &c, 1) != 1) {
			fprintf(stderr, "idlers: %ld threads are not there\n", left);
			return 1;
		}
	printf("ready %u\n", 2 * period);
	fflush(stdout);
	for (;;)
		pause();
}
