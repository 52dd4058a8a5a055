#!/usr/bin/env bash
# A hook that uses whatever makes it hard to say what a run came through.
set -uo pipefail
shopt -s extglob

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/lib/words.sh"
if ((${#WORDS[@]} > 2)); then echo "many words"; else echo "few words"; fi

status=0
cleanup() {
  rm -f "$work/left"
  if [[ $status != 0 ]]; then echo "ended with $status"; fi
}
on_error() { echo "something failed" >&2; }

work=$(mktemp -d) || exit 1
trap cleanup EXIT
trap 'on_error; status=9' ERR

input=$(
  cat |
    tr -d '\n'
)
mode=$(sed -nE 's/.*"command":"([a-z]*).*/\1/p' <<<"$input")
rest=$(sed -nE 's/.*"command":"[a-z]+ ([^"]*)".*/\1/p' <<<"$input")

count() {
  local n=0
  while IFS= read -r _; do
    n=$((n + 1))
  done < <(
    printf '%s\n' "$@" |
      grep -v '^$'
  )
  echo "$n"
}

document() {
  cat <<END
mode $mode
words $(count "${WORDS[@]}")
END
  cat <<-'LITERAL' | sed 's/^/> /'
	as it is: $mode
	LITERAL
}

numbers() (
  total=0
  for n in $rest; do
    [[ $n == +([0-9]) ]] || continue
    ((total += n))
  done
  echo "total $total"
)

classify() {
  case $1 in
    a*) echo "starts with a" ;;&
    *b) echo "ends with b" ;;
    c)
      echo "is c"
      ;&
    d) echo "is c or d" ;;
    @(x|y)) echo "x or y" ;;
    *)
      echo "is else"
      return 3
      ;;
  esac
}

late() {
  inner() { echo "inner of $1"; }
  inner "$1" && inner again
  unset -f inner
}

pipes() {
  printf '%s\n' b a c | sort | {
    read -r first
    echo "first $first"
  } || return 1
  local last
  last=$(printf '%s\n' "$@" | tail -n 1) && [[ -n $last ]] && echo "last $last"
  ! false
  { echo grouped; } >"$work/left" && cat "$work/left"
  > "$work/empty"
  [[ -s "$work/empty" ]] || echo empty
}

jobs_() {
  { echo background >"$work/job"; } &
  wait $!
  cat "$work/job"
  coproc { while read -r line; do echo "answer $line"; done; } # at its end bash takes COPROC away
  echo question >&"${COPROC[1]}"
  read -r answer <&"${COPROC[0]}"
  echo "$answer"
}

strict() {
  set -u
  echo "before"
  echo "${undefined_variable}" 2>/dev/null
  echo "never"
}

again() {
  local i=0
  until ((i >= ${1:-2})); do
    i=$((i + 1))
    if ((i == 2)); then continue; fi
    for j in a b c; do
      [[ $j == b ]] && break
      echo "$i$j"
    done
  done
}

chosen=''
handlers=(shout whisper)
dispatch() {
  for chosen in "${handlers[@]}"; do "$chosen" "$1"; done
  eval "result=\$(${handlers[0]} evaluated)"
  echo "$result"
  bash -c 'echo "child $1"' child "$1"
  export -f whisper
  bash -c 'whisper EXPORTED'
}

echo x | while read -r letter; do echo "letter $letter"; done

case $mode in
  doc) document ;;
  num) numbers ;;
  class) for word in $rest; do classify "$word" || status=$?; done ;;
  late) late "$rest" ;;
  pipe) pipes $rest ;;
  job) jobs_ ;;
  strict) (strict) || status=$? ;;
  loop) again "$rest" ;;
  call) dispatch "$rest" ;;
  fail)
    false
    echo "went on"
    exit 4
    ;;
  '') echo "nothing to do" && exit 0 ;;
  *) echo "unknown $mode" >&2; status=2 ;;
esac

for nothing in; do echo "never"; done
[[ $status == 0 ]] || echo "status $status" >&2
exit "$status"
