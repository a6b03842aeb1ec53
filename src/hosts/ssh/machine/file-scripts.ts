// Files of a host, one script per question. Paths are absolute, so none of them begins with a dash.

/** Exit codes, and what they mean. */
export const FILE_ENDS = { 33: 'not-found', 34: 'exists', 35: 'not-permitted', 36: 'file-failed' } as const

const FUNCTIONS = `
umask 077
set -f
there() { [ -e "$1" ] || [ -L "$1" ]; }
missing() { echo "there is no $1" >&2; exit 33; }
taken() { echo "there is a $1 already" >&2; exit 34; }
odd() { echo "$1" >&2; exit 36; }
`

/** Of each: kind and permissions as letters, how many names it has, bytes; or why not. */
const FACTS = `
one() {
  if said=$(LC_ALL=C ls "$how" -- "$1" 2>&1); then
    set -- $said
    printf '%s %s %s\\000' "$1" "$2" "$5"
    return
  fi
  case $said in
    *'No such file'*|*'Not a directory'*|*'oo many levels'*) printf 'none\\000';;
    *) printf 'failed %s\\000' "$said";;
  esac
}
how=$1
shift
for place in "$@"; do one "$place"; done
`

const REAL = `
[ -e "$1" ] || exit 33
readlink -f "$1" && printf x
`

/** A pipe or a link that was put there a moment ago is not opened, where dd can tell. */
const READ = `
there "$1" || missing "$1"
[ "$3" = follow ] || [ ! -L "$1" ] || odd "$1 is a link"
[ -f "$1" ] || odd "$1 is no regular file"
[ -r "$1" ] || { echo "$1 cannot be read" >&2; exit 35; }
flags=nofollow,nonblock
[ "$3" != follow ] || flags=nonblock
if dd iflag="$flags" if=/dev/null count=0 2>/dev/null; then dd iflag="$flags" if="$1" bs=65536 2>/dev/null | head -c "$2"
else head -c "$2" "$1"; fi
`

const LIST = `
[ -d "$1" ] || exit 0
cd "$1" || exit 35
set +f
for name in * .[!.]* ..?*; do
  if [ -L "$name" ]; then kind=link
  elif [ -d "$name" ]; then kind=folder
  elif [ -f "$name" ]; then kind=file
  elif [ -e "$name" ]; then kind=other
  else continue; fi
  printf '%s %s\\000' "$kind" "$name"
done
:
`

export const ASK = {
  facts: FUNCTIONS + FACTS,
  real: FUNCTIONS + REAL,
  read: FUNCTIONS + READ,
  list: FUNCTIONS + LIST,
} as const

const WRITE = `
[ ! -d "$1" ] || taken "$1"
new=\${1%/*}/.$$.tmp
if cat > "$new" && chmod "$2" "$new" && mv -f "$new" "$1"; then exit 0; fi
rm -f "$new"
exit 36
`

const CREATE = `
there "$1" && taken "$1"
set -C
cat > "$1"
`

const COPY = `
[ -e "$1" ] || missing "$1"
[ -f "$1" ] || odd "$1 is no regular file"
if [ "$3" = exclusive ]; then
  there "$2" && taken "$2"
  set -C
fi
cat "$1" > "$2"
`

const MKDIR = `
[ "$3" = only ] || { mkdir -p "$1"; exit; }
there "$1" && taken "$1"
mkdir -m "$2" "$1"
`

const RENAME = `
there "$1" || missing "$1"
[ ! -d "$2" ] || taken "$2"
mv -f "$1" "$2"
`

const REMOVE = `
rm -rf "$1"
`

/** These change something, and run once. */
export const CHANGE = {
  write: FUNCTIONS + WRITE,
  create: FUNCTIONS + CREATE,
  copy: FUNCTIONS + COPY,
  mkdir: FUNCTIONS + MKDIR,
  rename: FUNCTIONS + RENAME,
  remove: FUNCTIONS + REMOVE,
} as const
