// Files that presets ask a person about, wherever they lie: a login in the wrong hands, or a command that runs later.

const globs = (list: string) => list.split(/\s+/).filter((glob) => glob !== '')

/** Files that hold logins and keys. Reading one is never "only reading". */
export const CREDENTIAL_PATHS = globs(
  `**/.ssh/** **/.gnupg/** **/.aws/** **/.azure/** **/.config/gcloud/** **/.config/gh/** **/.kube/**
  **/.docker/config.json **/.netrc **/_netrc **/.git-credentials **/.npmrc **/.pypirc **/.pgpass **/.my.cnf
  **/.codex/auth.json **/auth.json **/.credentials.json **/.cargo/credentials* **/.env **/.env.* **/*.pem **/*.key
  **/id_rsa* **/id_ed25519* **/id_ecdsa* **/.vault-token **/.terraform.d/** **/*.keychain-db **/.*_history
  /etc/shadow /etc/gshadow /etc/sudoers /etc/sudoers.d/** /proc/**/environ /proc/**/mem /proc/**/root/** /proc/kcore
  /dev/mem`,
)

/** Files that a shell, a login or a program reads when it starts. */
export const START_UP_PATHS = globs(
  `**/.bashrc **/.bash_profile **/.bash_login **/.bash_logout **/.bash_aliases **/.profile **/.xprofile **/.xsessionrc
  **/.zshrc **/.zshenv **/.zprofile **/.zlogin **/.zlogout **/.kshrc **/.cshrc **/.tcshrc **/.inputrc **/.pam_environment
  **/.config/autostart/** **/.config/systemd/** **/.config/environment.d/** **/.config/fish/** **/.config/git/**
  **/.local/bin/** **/LaunchAgents/** **/.gitconfig **/.vimrc **/.tmux.conf **/.direnvrc **/.envrc`,
)

/** Files of a project that make git, an editor or codex run something later. */
export const PROJECT_PATHS = globs(
  '**/.git **/.git/** **/.codex **/.codex/** **/.agents/** **/.vscode/** **/.husky/**',
)

/** Where the workspace holds the home folder: everything hidden in it, and the programs a shell finds there. */
export const HOME_PATHS = globs('@home/.* @home/.*/** @home/bin/**')
