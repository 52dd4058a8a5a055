# Sourced by torture.sh.
WORDS=(one two)
shout() {
  local text=$1
  text=${text^^}
  printf '%s!\n' "$text"
}

whisper() { printf '(%s)\n' "${1,,}"; }

if [[ -n ${LOUD:-} ]]; then
  WORDS+=(loud)
fi
