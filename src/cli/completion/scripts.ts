// What a shell has to know: all three ask `drawbridge __complete` for every word, so that they are never out of date.
// It prints one candidate a line, with a tab before its description.

const bash = `# drawbridge completion for bash: source <(drawbridge completion bash)
_drawbridge() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(drawbridge __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ \${#COMPREPLY[@]} -eq 0 ]; then
    compopt -o default 2>/dev/null
  fi
}
complete -F _drawbridge drawbridge
`

const zsh = `#compdef drawbridge
# drawbridge completion for zsh: drawbridge completion zsh > a file named _drawbridge in a folder of $fpath
_drawbridge() {
  local -a found
  local line
  while IFS= read -r line; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(drawbridge __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then
    _describe -V 'drawbridge' found
  else
    _files
  fi
}
if [ "$funcstack[1]" = "_drawbridge" ]; then
  _drawbridge "$@"
else
  compdef _drawbridge drawbridge
fi
`

const fish = `# drawbridge completion for fish: drawbridge completion fish > ~/.config/fish/completions/drawbridge.fish
function __drawbridge_complete
    set -l words (commandline -opc) (commandline -ct)
    drawbridge __complete -- $words[2..-1] 2>/dev/null
end
complete -c drawbridge -f -a '(__drawbridge_complete)'
complete -c drawbridge -n 'test -z "(__drawbridge_complete)"' -F
`

export const SCRIPTS = { bash, zsh, fish } as const
export type Shell = keyof typeof SCRIPTS
