import type { Host, LentAccount } from '../api/contract.ts'
import { Choice, Field } from '../ui/field.tsx'
import type { Draft } from './draft.ts'

interface Props {
  readonly hosts: readonly Host[]
  readonly accounts: readonly LentAccount[]
  readonly draft: Pick<Draft, 'host' | 'account'>
  readonly onChange: (change: Partial<Draft>) => void
}

/** On which machine, and on whose login; each only where there is something to choose. */
export function RunWith({ hosts, accounts, draft, onChange }: Props) {
  if (hosts.length === 0 && accounts.length === 0) return null
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {hosts.length > 0 && (
        <Field label="Host" hint="Where its commands run. Codex and its login stay here.">
          {(ids) => (
            <Choice
              {...ids}
              value={draft.host}
              // The folder that is written there is one of the other machine.
              onChoose={(host) => onChange({ host, cwd: host === '' ? null : '' })}
              options={[{ value: '', text: 'The machine of the service' }, ...hosts.map(hostOption)]}
            />
          )}
        </Field>
      )}
      {accounts.length > 0 && (
        <Field label="Account" hint="The login it uses.">
          {(ids) => (
            <Choice
              {...ids}
              value={draft.account}
              onChoose={(account) => onChange({ account })}
              options={[{ value: '', text: 'The login of Codex' }, ...accountOptions(accounts)]}
            />
          )}
        </Field>
      )}
    </div>
  )
}

interface Option {
  readonly value: string
  readonly text: string
}

function hostOption({ id, ssh }: Host): Option {
  const problem = ssh?.problem ? ', cannot be reached' : ''
  return { value: id, text: `${id} (${ssh?.destination ?? ''}${problem})` }
}

function accountOptions(accounts: readonly LentAccount[]): Option[] {
  const pools = [...new Set(accounts.flatMap((account) => account.pools))].sort()
  return [
    ...accounts.map(({ name, state }) => ({
      value: name,
      text: state === 'active' ? name : `${name} (${state})`,
    })),
    ...pools.map((pool) => ({ value: `pool:${pool}`, text: `Any of the pool ${pool}` })),
  ]
}
