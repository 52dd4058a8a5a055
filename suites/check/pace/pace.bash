# Stands in for sleep in a paced firing: see paced.go. Its lines are the body of a program that hookwatch writes.
total= whole= half= child=
for a in "$@"; do
  case $a in *m) a=$((${a%m} * 60));; *h) a=$((${a%h} * 3600));; *d) a=86400;; *s) a=${a%s};; esac
  case $a in 0|0.*|.*) ;; *) whole=1;; esac
  case $a in 0|0.[0-4]*|.[0-4]*) ;; *) half=1;; esac
  total="$total$a
"
done
[ "$(readlink /proc/self/fd/0)" = /dev/null ] && { command -p sleep "$@"; exit; }
for p in $(cat /proc/$PPID/task/$PPID/children 2>/dev/null); do [ $p != $$ ] && [ -e /proc/$p/exe ] && child=1; done
skipped=$(grep -c skipped '{tmp}/slept' 2>/dev/null)
if [ "$child" ] || [ -z "$half" ] || [ "${skipped:-0}" -ge SKIPPED ]; then
  [ "$child" ] && [ -z "$whole" ] || printf %s "$total" >>'{tmp}/slept'
  command -p sleep "$@"; exit
fi
printf '%s skipped\n' $total >>'{tmp}/slept'
