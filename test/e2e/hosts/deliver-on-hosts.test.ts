// Files of a task on a host in exec mode, handed over to the machine that Drawbridge runs on; and the service killed meanwhile.
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { functionCall, type ModelRequest, message, toolOutputs } from '../../../src/testing/index.ts'
import { serveHosts } from '../../support/ssh/served-hosts.ts'

const deliver = (at: string) =>
  functionCall('deliver', { path: at, title: 'x' }, { namespace: 'mcp__host_tools' })
const PRICE = { name: 'price', data: { item: 7 } }
const PATHS = ['out/all.bin', 'link', '../.ssh/authorized_keys', 'second', 'pipe', 'none', 'large']

function script(request: ModelRequest) {
  const outputs = toolOutputs(request)
  const next = PATHS[outputs.length]
  if (next !== undefined) return deliver(next)
  if (outputs.length === PATHS.length)
    return functionCall('tell_caller', PRICE, { namespace: 'mcp__host_tools' })
  return message(outputs.map(({ text }) => text).join(' | '))
}

it('hands over what is in the folder of the task there, and keeps it here', async () => {
  const settings = { deliverables: { maxBytes: 2_000_000 } }
  const hosts = await serveHosts(script, { settings })
  onTestFinished(hosts.close)
  const sh = (text: string) => hosts.machine.run('sh', '-c', text)
  await sh(`cd ~/project && mkdir out && ln -s /etc/passwd link && mkfifo pipe && echo one > first && ln first second
    i=0; while [ $i -lt 256 ]; do printf "\\\\$(printf %03o $i)"; i=$((i+1)); done > out/all.bin
    head -c 2000001 /dev/zero > large`)
  const { tasks, callerMessages } = hosts.client()
  const tools = ['drawbridge_deliver', 'drawbridge_caller_answers']
  const { id } = await hosts.start('exec', 'go', { tools })
  const heard: unknown[] = []
  const ending = new AbortController()
  const listening = callerMessages.listen(
    id,
    ({ name, data }) => {
      heard.push({ name, data })
      return { euros: 12 }
    },
    { signal: ending.signal },
  )
  const task = await tasks.wait(id)
  ending.abort()
  await listening
  expect(heard).toEqual([PRICE])
  expect(task.result?.text).toContain('{"answer":{"euros":12}}')
  expect(task, task.reason).toMatchObject({ status: 'completed', host: 'exec', openDeliverables: 1 })
  const told = task.result!.text.split(' | ')
  expect(told[0]).toContain('deliverable 1 (256 bytes)')
  expect(told[1]).toContain('there is no file link in the folder of the task')
  expect(told[2]).toContain('in the folder of the task')
  expect(told[3]).toContain('is a hard link')
  expect(told[4]).toContain('is not a plain file')
  expect(told[5]).toContain('there is no file none')
  expect(told[6]).toContain('at most 2000000')
  await sh('rm -r ~/project/out')

  await hosts.kill()
  await hosts.serve()
  const { deliverables } = hosts.client()
  const bytes: Uint8Array[] = []
  for await (const chunk of deliverables.download(id, 1)) bytes.push(chunk)
  expect(Buffer.concat(bytes)).toEqual(Buffer.from(Array.from({ length: 256 }, (_, at) => at)))
  expect(await deliverables.list(id)).toMatchObject([{ path: 'out/all.bin', status: 'pending' }])
  expect(readdirSync(path.join(hosts.dataDir, 'deliverables', id))).toHaveLength(1)
}, 120_000)
