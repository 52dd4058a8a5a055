#!/usr/bin/env bash
# Lets nothing through that removes files.
judge() {
  case "$1" in
    *rm\ *)
      echo 'nothing is removed here' >&2
      return 2
      ;;
    *ls\ *) return 0 ;;
  esac
}

never() {
  echo never
}

judge "$(cat)"
