// Every command that can be read, outside the sandbox too, except a list of dangers: those are asked for. The list is a
// net for accidents, not a wall: a program run from a file does what it likes.

import { CREDENTIAL_PATHS, START_UP_PATHS } from './guarded-paths.ts'
import { type CommandLine, commandRules, pathRule } from './preset-rule.ts'
import type { Rule } from './rule.ts'

const recursive = ['-r', '-R', '--recursive']

const DANGERS: readonly CommandLine[] = [
  ['rm', { anyOption: recursive, operands: 'outside' }],
  ['rm', { operands: 'outside', anyOption: ['-f', '--force'] }],
  ['rm', { anyOption: recursive, paths: ['@workspace', '**/.git'] }],
  ['find', { operands: 'outside', anyOption: ['-delete'] }],
  ...['chmod', 'chown', 'chgrp'].map(
    (line) => [line, { anyOption: recursive, operands: 'outside' }] as const,
  ),
  ...`sudo doas su pkexec runuser passwd useradd usermod userdel visudo chroot`.split(' '),
  ...`mkfs mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkswap fdisk sfdisk parted wipefs shred cryptsetup mount umount`.split(
    ' ',
  ),
  ['dd', { anyWord: ['of=/dev/*'] }],
  ...`shutdown reboot halt poweroff init telinit systemctl service launchctl crontab at iptables ip6tables nft ufw`.split(
    ' ',
  ),
  ...`sysctl modprobe insmod rmmod kexec swapoff`.split(' '),
  ['kill', { anyWord: ['1', '-1', '0', '-0'] }],
  'killall',
  'pkill',
  [
    'git push',
    { anyOption: ['-f', '--force', '--force-with-lease', '--mirror', '--delete', '-d', '--prune'] },
  ],
  ['git push', { anyWord: ['+*', ':*'] }],
  ...['npm', 'pnpm', 'yarn', 'bun', 'cargo'].map(
    (line) => [line, { anyWord: ['publ*', 'unpub*', 'yank'] }] as const,
  ),
  ['git reset', { anyOption: ['--hard'] }],
  ['git clean', { anyOption: ['-f', '--force'] }],
  ...`npm deprecate|npm token|npm login|npm adduser|npm owner`.split('|'),
  ...`cargo login|gem push|twine upload|poetry publish`.split('|'),
  ...`uv publish|mvn deploy|gradle publish|docker push|podman push|docker login|gh release|gh auth|gh secret`.split(
    '|',
  ),
  ...['docker', 'podman'].flatMap((line): CommandLine[] => [
    [line, { anyOption: ['--privileged', '--cap-add', '--pid', '--device'] }],
    [line, { anyWord: ['/:*', '*docker.sock*', '--volume=/:*', '-v/:*'] }],
    `${line} system prune`,
    `${line} volume rm`,
  ]),
  ...`kubectl delete|kubectl drain|kubectl apply|kubectl exec|helm uninstall|helm delete|helm upgrade`.split(
    '|',
  ),
  ...`terraform apply|terraform destroy|terraform import|tofu apply|tofu destroy|pulumi up|pulumi destroy`.split(
    '|',
  ),
  ...`aws|gcloud|az|doctl|heroku|vault|security|keychain|ssh-add|ssh-keygen|gpg|pass|op`.split('|'),
  ...`nc|ncat|netcat|socat|telnet|printenv|history`.split('|'),
  'env .',
  ['curl', { anyOption: ['-T', '--upload-file', '-F', '--form', '--data-binary'] }],
  ['curl', { anyWord: ['@*', '-d@*', '*=@*'] }],
  ['wget', { anyOption: ['--post-file', '--body-file'] }],
]

const SYSTEM_PATHS = [
  ...`/ /etc/** /dev/** /boot/** /sys/** /proc/** /usr/** /bin/** /sbin/** /lib/** /lib64/** /System/** /Library/**
  /var/run/** /run/** /var/spool/cron/** **/.git/hooks/** **/.git/config **/.codex/**`.split(/\s+/),
  ...START_UP_PATHS,
]

const WRITERS =
  'cp mv ln install tee touch truncate rm rmdir chmod chown sed dd rsync tar unzip scp curl wget'.split(' ')

const preset = 'trusted'
const system = pathRule(preset, 'ask', SYSTEM_PATHS, 'writes a file of the system or of your shell')

export const TRUSTED_RULES: readonly Rule[] = [
  pathRule(preset, 'ask', CREDENTIAL_PATHS, 'names a file that may hold secrets'),
  { ...system, match: { paths: SYSTEM_PATHS, isWriting: true } },
  ...commandRules({ preset, answer: 'ask' }, DANGERS),
  ...commandRules({ preset, answer: 'ask', match: { paths: SYSTEM_PATHS } }, WRITERS),
  {
    id: 'trusted: any command, outside the sandbox too',
    answer: 'allow',
    kind: 'command',
    match: { argvPrefix: [], env: ['*'] },
  },
  pathRule(preset, 'allow', ['/**']),
  { id: 'trusted: any tool', answer: 'allow', kind: 'mcp', match: { server: '*', tool: '*' } },
  { id: 'trusted: any host', answer: 'allow', kind: 'host', match: { host: '*' } },
  { id: 'trusted: the network', answer: 'allow', kind: 'network', match: {} },
]
