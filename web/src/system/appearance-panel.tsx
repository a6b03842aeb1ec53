import { useMutation } from '@tanstack/react-query'
import * as calls from '../api/calls.ts'
import { setConnection } from '../api/connection.ts'
import { ThemeButton } from '../shell/shell.tsx'
import { Button } from '../ui/button.tsx'
import { Panel } from '../ui/panel.tsx'

export function AppearancePanel() {
  const leave = useMutation({
    mutationFn: calls.system.logout,
    onSuccess: () => setConnection({ isUnauthorized: true }),
  })
  return (
    <Panel title="This browser">
      <div className="flex items-center justify-between gap-3 p-4 text-sm">
        <span className="flex items-center gap-2">
          Light or dark <ThemeButton />
        </span>
        <Button size="small" disabled={leave.isPending} onClick={() => leave.mutate()}>
          Log out
        </Button>
      </div>
    </Panel>
  )
}
