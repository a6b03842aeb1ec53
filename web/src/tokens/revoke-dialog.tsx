import { useMutation, useQueryClient } from '@tanstack/react-query'
import * as calls from '../api/calls.ts'
import type { Token } from '../api/contract.ts'
import { keys } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'

export function RevokeDialog({ token, onClose }: { readonly token: Token; readonly onClose: () => void }) {
  const client = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => calls.tokens.revoke(token.id),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: keys.tokens }),
  })
  return (
    <Dialog title={`Revoke ${token.name}?`} isOpen onClose={onClose}>
      <div className="flex flex-col gap-3 text-sm">
        <p>
          Whoever has this token is refused from now on, on all machines, and what it follows ends. Tasks it
          started go on. This cannot be undone: a new token has a new secret.
        </p>
        <ErrorNote error={revoke.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="danger" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
            Revoke {token.name}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
