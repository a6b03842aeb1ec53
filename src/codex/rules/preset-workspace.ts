// What a developer does in the workspace all day: edit its files, build, test, lint. Builds and tests run the code of
// the workspace, which codex may have written, so they are allowed only where the sandbox holds them.

import { READ_ONLY_RULES } from './preset-read-only.ts'
import { type CommandLine, commandRules, options, pathRule } from './preset-rule.ts'
import type { Rule } from './rule.ts'

/** Not `cp` and `mv`: they write to names that are not in their words, and a link may wait there. */
const FILE_COMMANDS: readonly CommandLine[] = [
  ['mkdir', options('-p -v --parents')],
  ['touch', options('-a -m -c')],
  ['tee', options('-a --append')],
]

const SCRIPTS = `test test:unit test:integration test:e2e build lint lint:fix check typecheck type-check types format
  format:check fmt`
const PACKAGE_MANAGERS = ['npm', 'pnpm', 'yarn', 'bun']
const SCRIPT_OPTIONS = options(
  '-s --silent --if-present --workspaces -r --run --coverage --verbose --bail --watch=',
)

const NODE: readonly CommandLine[] = [
  ...PACKAGE_MANAGERS.flatMap((manager) => [
    [`${manager} test`, SCRIPT_OPTIONS] as const,
    ...SCRIPTS.split(/\s+/).map((script) => [`${manager} run ${script}`, SCRIPT_OPTIONS] as const),
  ]),
  ...['tsc', 'npx tsc', 'npx --no-install tsc'].map(
    (line) => [line, options('-b --noEmit --build --pretty --watch=')] as const,
  ),
  ...['eslint', 'npx eslint'].map(
    (line) => [line, options('--fix --quiet --max-warnings= --cache')] as const,
  ),
  ...['prettier', 'npx prettier'].map((line) => [line, options('--check --write -c -w -l')] as const),
  ...['biome check', 'npx biome check', 'biome lint', 'biome format'].map(
    (line) => [line, options('--write')] as const,
  ),
  ...['vitest', 'npx vitest'].map(
    (line) => [line, options('--run --coverage --reporter= -t= --bail=')] as const,
  ),
  ...['jest', 'npx jest'].map(
    (line) => [line, options('--coverage --verbose -t= --ci --runInBand -i --bail')] as const,
  ),
  ['node --test', options('--test-name-pattern= --test-only')],
]

const OTHERS: readonly CommandLine[] = [
  ...['test', 'build', 'check', 'clippy', 'doc', 'bench'].map(
    (command) =>
      [
        `cargo ${command}`,
        options(
          '--release --all --workspace --all-targets --all-features -p= --package= --lib -q -v --no-run --test= --locked --offline',
        ),
      ] as const,
  ),
  ['cargo fmt', options('--all --check')],
  ['go test', options('-v -race -run= -count= -short -timeout= -cover -bench= -failfast -json -parallel=')],
  ['go build', options('-v -race')],
  ['go vet', options('-v')],
  ['go fmt', options('')],
  ['gofmt', options('-l -w -d -s')],
  ...['pytest', 'python -m pytest', 'python3 -m pytest', 'uv run pytest', 'poetry run pytest'].map(
    (line) =>
      [line, options('-v -q -x -s -k= -l --lf --ff --maxfail= --tb= --cov --durations= -vv -m=')] as const,
  ),
  ...['python -m unittest', 'python3 -m unittest'].map((line) => [line, options('-v -q -f')] as const),
  ['ruff check', options('--fix --diff')],
  ['ruff format', options('--check --diff')],
  ['mypy', options('--strict')],
  ['pyright', options('')],
  ['black', options('--check --diff -q')],
  ...['all', 'test', 'tests', 'build', 'check', 'lint', 'fmt', 'format'].map((target) => `make ${target} .`),
  'make .',
  ...['mvn test .', 'mvn verify .', 'mvn compile .', 'mvn package .', 'gradle test .', 'gradle build .'],
  ...['./gradlew test .', './gradlew build .', './gradlew check .', './mvnw test .', './mvnw verify .'],
  ['dotnet test', options('-v= --no-build --no-restore --filter=')],
  ['dotnet build', options('-v= --no-restore')],
  ['bundle exec rspec', options('-f= --format= --fail-fast --tag=')],
  ['bundle exec rubocop', options('-a -A --autocorrect')],
  ['mix test', options('')],
  ['swift test', options('')],
  ['swift build', options('')],
  ['cmake --build', options('-j=')],
  ['ctest', options('-V -j= --output-on-failure -R=')],
]

const preset = 'workspace'

/** Where a written file runs later, without anybody asking again. */
const GUARDED = [
  '**/.git',
  '**/.git/**',
  '**/.codex',
  '**/.codex/**',
  '**/.agents/**',
  '**/.vscode/**',
  '**/.husky/**',
  '**/.envrc',
]

const guarded = pathRule(preset, 'ask', GUARDED, 'writes a file that makes other programs run commands')

export const WORKSPACE_RULES: readonly Rule[] = [
  ...READ_ONLY_RULES,
  { ...guarded, match: { paths: GUARDED, isWriting: true } },
  ...commandRules({ preset, answer: 'ask', match: { paths: GUARDED } }, ['mkdir', 'touch', 'tee']),
  pathRule(preset, 'allow', ['@workspace/**']),
  ...commandRules({ preset, answer: 'allow', match: { operands: 'inside' } }, FILE_COMMANDS),
  ...commandRules(
    {
      preset,
      answer: 'allow',
      match: {
        operands: 'inside',
        cwd: '@workspace/**',
        isSandboxed: true,
        env: ['CI', 'NO_COLOR', 'FORCE_COLOR', 'DEBUG'],
      },
    },
    [...NODE, ...OTHERS],
  ),
]
