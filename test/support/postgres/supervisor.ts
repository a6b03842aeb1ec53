/**
 * A shell program that runs a server for as long as its owner lives: `sh -c SUPERVISOR sh FOLDER PROGRAM ARGUMENTS…`.
 * A line on stdin names the signal to stop it with. The end of stdin means that the owner is gone, however it ended:
 * then the server is stopped at once and the folder removed. Not a file: the user it runs as may be unable to read ours.
 */
export const SUPERVISOR = `
trap '' HUP INT TERM
exec 3<&0
folder=$1
shift
"$@" 3<&- &
server=$!
(
  if ! read -r signal <&3; then
    signal=QUIT
    : > "$folder/abandoned"
  fi
  kill -s "$signal" "$server"
) &
watcher=$!
wait "$server"
kill -s KILL "$watcher" 2>/dev/null
if [ -e "$folder/abandoned" ]; then rm -rf "$folder"; fi
`
