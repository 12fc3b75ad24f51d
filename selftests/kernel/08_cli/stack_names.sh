#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: functions have names whose symbols lie apart, in the container's root, and those that a process compiled itself
# witness: files made by objcopy and xz; a program that writes code and a map of it; links that lead out,
#	files of others, a bomb, a name that stands for gigabytes
# requires: any
# timeout: 300
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# frames NUMBER FROM TO FILE: these frames of the marked calls with NUMBER, without offsets
frames() { grep '^{' "$4" | jq -r "select(.fields.who == $1) | .user_stack[$2:$3] | join(\" \")" | sed 's/+0x[0-9a-f]*//g' | sort -u; }
# inside COMMAND...: in a container whose root is $root
inside() { ctbox -n apart -- chroot "$root" "$@"; }

load
root=$tmp/root
mkdir -p "$root/bin/.debug" "$root/var/maps" "$root/usr/lib/debug/.build-id"
# where it leads in the container, there is nothing on the host
ln -s /var/maps "$root/tmp"
cp "$(command -v compiled)" "$root/bin"

# --- a process that writes a map of its functions
ctrace trace -e getpriority --stack=user --json -- ctbox -n apart -- chroot "$root" compiled 91 2 > "$tmp/live" 2> "$tmp/err"
check "it wrote its map in its root, under its own number" test -s "$root/var/maps/perf-1.map"
same "compiled by the process" "mark [compiled] made_here [jit] main [compiled]" "$(frames 91 1 4 "$tmp/live")"
ctrace record -o "$tmp/rec" -e getpriority --stack=user -- ctbox -n apart -- chroot "$root" compiled 92 2 > "$tmp/out" 2> "$tmp/err"
rm "$root/var/maps/perf-1.map"
ctrace report --json "$tmp/rec" > "$tmp/report" 2> "$tmp/err"
same "recorded; the process is gone" "mark [compiled] made_here [jit] main [compiled]" "$(frames 92 1 4 "$tmp/report")"
ctrace export --perfetto "$tmp/pf" "$tmp/rec" 2> "$tmp/err"
check "an export" grep -qa made_here "$tmp/pf"

# --- a stripped program in C++
cat > "$tmp/app.cc" <<- 'CODE'
	extern "C" long syscall(long, ...);
	extern "C" int atoi(const char *);
	namespace web {
	struct Cache {
		long find(int v);
	};
	static long mark(int v) { return syscall(CALL, 0x4d41524b, v) + 1; }
	long Cache::find(int v) { return mark(v) + 1; }
	}
	int main(int, char **argv)
	{
		web::Cache c;
		return c.find(atoi(argv[1])) == 5;
	}
CODE
call=$(printf '#include <sys/syscall.h>\nSYS_getpriority\n' | gcc -E - | tail -n 1)
check "the program" g++ -O0 -static -fno-omit-frame-pointer -Wl,--build-id -DCALL="$call" -o "$tmp/app" "$tmp/app.cc"
id=$(readelf -n "$tmp/app" | sed -n 's/ *Build ID: //p')
find=web::Cache::find
ls /usr/lib/*/libiberty.a > /dev/null 2>&1 || find=_ZN3web5Cache4findEi
objcopy --only-keep-debug "$tmp/app" "$tmp/app.debug"
objcopy --strip-all "$tmp/app" "$root/bin/stripped"
objcopy --add-gnu-debuglink="$tmp/app.debug" "$root/bin/stripped" "$root/bin/linked"
objcopy --strip-debug "$tmp/app.debug" "$tmp/mini" && xz -k "$tmp/mini"
objcopy --add-section .gnu_debugdata="$tmp/mini.xz" "$root/bin/stripped" "$root/bin/packed"

# each while another process has the same root: it is looked for there
inside compiled 1 10000 & later "kill $!"
for n in 93 94 95 96; do
	case $n in
	93) what="nothing apart" program=stripped;;
	94) what=".gnu_debugdata" program=packed;;
	95) what=".gnu_debuglink" program=linked; cp "$tmp/app.debug" "$root/bin/.debug";;
	96) what="the build-id" program=stripped
		rm "$root/bin/.debug/app.debug"
		mkdir -p "$root/usr/lib/debug/.build-id/${id:0:2}"
		cp "$tmp/app.debug" "$root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug";;
	esac
	ctrace record -o "$tmp/rec$n" -e getpriority --stack=user -- ctbox -n apart -- chroot "$root" "$program" "$n" > "$tmp/out" 2> "$tmp/err"
	ctrace report --json "$tmp/rec$n" > "$tmp/report" 2> "$tmp/err"
	if [ $n = 93 ]; then
		same "$what" "stripped stripped stripped" "$(frames $n 0 3 "$tmp/report")"
	else
		same "$what" "syscall [$program] $find [$program] main [$program]" "$(frames $n 0 3 "$tmp/report")"
	fi
done
