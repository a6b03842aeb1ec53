import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

interface Props {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Its backdrop is ours: Radix's own puts a style element into the page, which the page does not allow. */
export function Dialog({ title, isOpen, onClose, children }: Props) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <div className="fixed inset-0 z-40 bg-black/45" aria-hidden />
        <Radix.Content
          aria-describedby={undefined}
          className="scroll-thin fixed inset-x-3 top-[8vh] z-50 mx-auto max-h-[84vh] max-w-2xl overflow-y-auto rounded-2xl border border-line bg-panel p-5 shadow-xl"
        >
          <div className="mb-3 flex items-center justify-between gap-4">
            <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
            <Radix.Close className="rounded-md p-1 text-soft hover:bg-sunk" aria-label="Close">
              <X size={18} />
            </Radix.Close>
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
