// What commands try to get at, one row each. A row has worked when it prints the canary, or when `file` is there after it.
// `$WS` is the workspace, `$DOCS` a folder to read and `$OUT` one to write that were allowed, `$ELSE` a folder of the
// user's that nobody named; the others are what their names say.

export interface Attempt {
  readonly what: string
  readonly command: string
  /** What it would make, or change. */
  readonly file?: string
  /** Before codex starts, by the test. */
  readonly prepare?: string
  /** A second command, after the first has ended. */
  readonly afterwards?: string
}

/** What only a confined sandbox hides. */
export const READING: readonly Attempt[] = [
  { what: 'read a file of yours outside the workspace', command: 'cat $ELSE/secret' },
  { what: 'the same by a link that it makes', command: 'ln -sf $ELSE/secret $WS/l1; cat $WS/l1' },
  {
    what: 'the same by a link that the repository brings',
    prepare: 'ln -s $ELSE $WS/brought',
    command: 'cat $WS/brought/secret',
  },
  { what: 'the same by `/proc/self/root`', command: 'cat /proc/self/root$ELSE/secret' },
  { what: 'the same by `/proc/1/root`', command: 'cat /proc/1/root$ELSE/secret' },
  {
    what: 'the same by `/proc/<codex>/root`, `cwd` or `fd`',
    command: 'cat /proc/$CODEX/root$ELSE/secret || cat /proc/$CODEX/cwd/secret /proc/$CODEX/fd/*',
  },
  { what: 'the same by a hard link that it makes', command: 'ln -f $ELSE/secret $WS/h1; cat $WS/h1' },
  {
    what: 'the same by a hard link that was there before',
    prepare: 'ln $ELSE/hard $WS/before',
    command: 'cat $WS/before',
  },
  { what: 'the same by `..` from an allowed folder', command: 'cd $DOCS && cat ../else/secret' },
  {
    what: 'the same by a link in an allowed folder',
    prepare: 'ln -s $ELSE $DOCS/link',
    command: 'cat $DOCS/link/secret',
  },
  { what: 'read a folder whose name begins as that of an allowed one', command: 'cat $DOCS-sibling/secret' },
  { what: 'read an allowed folder', command: 'cat $DOCS/secret' },
  { what: "read another task's workspace", command: 'cat $OTHER/secret' },
]

/** What no sandbox shows. */
const HIDDEN: readonly Attempt[] = [
  { what: "read Codex's login", command: 'cat $CODEX_HOME/auth.json' },
  {
    what: "read Codex's login by a link, `/proc` and a copy",
    command:
      'ln -sf $CODEX_HOME $WS/l2; cat $WS/l2/auth.json /proc/self/root$CODEX_HOME/auth.json || cp $CODEX_HOME/auth.json $WS/copy && cat $WS/copy',
  },
  { what: "read Drawbridge's data folder", command: 'cat $DATA/secret; ls $DATA' },
  { what: 'read a protected path', command: 'cat $SSH/secret' },
  {
    what: 'mount over, or enter other namespaces',
    command:
      "unshare -Urm sh -c 'mount --bind / /mnt && cat /mnt'$ELSE/secret; nsenter -t $CODEX -m cat $ELSE/secret",
  },
]

const PROCESSES: readonly Attempt[] = [
  { what: 'see the keys that Codex was started with', command: 'env | grep $CANARY' },
  { what: 'read the environment of Codex', command: "tr '\\0' '\\n' < /proc/$CODEX/environ" },
  { what: 'read the environment of any process', command: "cat /proc/[0-9]*/environ | tr '\\0' '\\n'" },
  { what: 'end another process of yours', command: 'kill -9 $VICTIM', file: '$MARKS/victim-gone' },
  {
    what: 'reach a unix socket',
    command:
      'node -e \'require("net").connect(process.argv[1]).on("data",(d)=>console.log(""+d)).on("error",()=>{})\' $OUT/socket',
  },
]

const WRITING: readonly Attempt[] = [
  { what: 'write in the workspace', command: ': > $WS/made', file: '$WS/made' },
  { what: 'write outside the workspace', command: ': > $ELSE/w1', file: '$ELSE/w1' },
  {
    what: 'the same by a link that it makes',
    command: 'ln -sf $ELSE/w2 $WS/l3; : > $WS/l3',
    file: '$ELSE/w2',
  },
  { what: 'the same by a link that the repository brings', command: ': > $WS/brought/w3', file: '$ELSE/w3' },
  { what: 'the same by `/proc/self/root`', command: ': > /proc/self/root$ELSE/w4', file: '$ELSE/w4' },
  { what: 'the same by `..` from an allowed folder', command: 'cd $OUT && : > ../else/w5', file: '$ELSE/w5' },
  {
    what: 'the same by a link in an allowed folder',
    prepare: 'ln -s $ELSE $OUT/link',
    command: ': > $OUT/link/w6',
    file: '$ELSE/w6',
  },
  { what: "write in another task's workspace", command: ': > $OTHER/w', file: '$OTHER/w' },
  { what: 'write in a folder that is allowed to be read', command: ': > $DOCS/w', file: '$DOCS/w' },
  { what: 'write in a folder that is allowed to be written', command: ': > $OUT/w', file: '$OUT/w' },
  { what: 'write beside that folder', command: ': > $OUT-sibling/w', file: '$OUT-sibling/w' },
  {
    what: 'put a link in its place, and write there',
    command: 'mv $OUT $OUT-moved; rmdir $OUT; ln -s $ELSE $OUT',
    afterwards: ': > $OUT/w7',
    file: '$ELSE/w7',
  },
  { what: "write to Codex's configuration", command: ': > $CODEX_HOME/made', file: '$CODEX_HOME/made' },
  { what: 'write to the temp folder of the machine', command: ': > /tmp/$MARK', file: '/tmp/$MARK' },
]

const PROTECTED: readonly Attempt[] = [
  {
    what: "write a hook into the workspace's `.git`",
    command: ': > $WS/.git/hooks/pre-commit',
    file: '$WS/.git/hooks/pre-commit',
  },
  {
    what: 'move `.git` away, and make another with a hook',
    command: 'mv $WS/.git $WS/git2; mkdir -p $WS/.git/hooks',
    afterwards: ': > $WS/.git/hooks/post-commit',
    file: '$WS/.git/hooks/post-commit',
  },
  {
    what: "write to the workspace's `.codex`",
    command: 'mkdir -p $WS/.codex; : > $WS/.codex/config.toml',
    file: '$WS/.codex/config.toml',
  },
  {
    what: 'a hook of a repository deeper in the workspace',
    prepare: 'git init -q $WS/deep',
    command: ': > $WS/deep/.git/hooks/pre-commit',
    file: '$WS/deep/.git/hooks/pre-commit',
  },
  {
    what: 'a hook of the repository that an allowed folder is',
    prepare: 'git init -q $OUT',
    command: ': > $OUT/.git/hooks/pre-commit',
    file: '$OUT/.git/hooks/pre-commit',
  },
  {
    what: 'leave a file in `/dev/shm` for other tasks',
    command: ': > /dev/shm/$MARK',
    file: '/dev/shm/$MARK',
  },
]

export const ATTEMPTS: readonly Attempt[] = [...READING, ...HIDDEN, ...PROCESSES, ...WRITING, ...PROTECTED]

const patch = (what: string, file: string): Attempt => ({ what, file, command: 'patch' })

/** Changes of files that the model asks for: codex makes them, or asks whether it may. */
export const PATCHES: readonly Attempt[] = [
  patch('in the workspace', '$WS/patched'),
  patch('in a folder that is allowed to be written', '$OUT/patched'),
  patch('in a folder that is allowed to be read', '$DOCS/patched'),
  patch('in a folder that nobody named', '$ELSE/patched'),
  patch("in the workspace's `.git`", '$WS/.git/hooks/pre-push'),
  patch("in the workspace's `.codex`", '$WS/.codex/config.toml'),
  patch('of a protected path', '$SSH/patched'),
  patch("in Drawbridge's data folder", '$DATA/patched'),
]

/** The network, one command each: what codex's proxy refuses ends the command. */
export const NETWORK: readonly Attempt[] = [
  { what: 'a server on this machine, by its address', command: 'curl -s -m 5 http://127.0.0.1:$PORT/' },
  { what: 'the same, by the name `localhost`', command: 'curl -s -m 5 http://localhost:$PORT/' },
  { what: 'the same, around the proxy', command: "curl -s -m 5 --noproxy '*' http://127.0.0.1:$PORT/" },
  { what: 'another port of it', command: 'curl -s -m 5 http://127.0.0.1:$PORT2/' },
  { what: 'a unix socket', command: 'curl -s -m 5 --unix-socket $OUT/http http://any/' },
]
