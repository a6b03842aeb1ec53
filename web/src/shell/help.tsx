import { Dialog } from '../ui/dialog.tsx'

const KEYS = [
  ['g i', 'Inbox'],
  ['g t', 'Tasks'],
  ['g n', 'New task'],
  ['g r', 'Rules and audit'],
  ['g s', 'System'],
  ['j / k', 'Next / previous'],
  ['Enter', 'Open its task'],
  ['a', 'Allow the question that has the focus, once'],
  ['d', 'Deny the question that has the focus'],
  ['/', 'Search'],
  ['?', 'This page'],
] as const

const WORDS = [
  ['Task', 'One piece of work given to Codex. It goes on when you close this page.'],
  [
    'Question',
    'Codex wants to do something it may not do by itself. It waits in the inbox until somebody answers.',
  ],
  ['Rule', 'A stored answer. `allow command git status` answers that question from now on.'],
  ['Preset', 'Ready-made rules: what is answered without a person.'],
  ['Sandbox', 'What commands can touch, whatever anybody answers.'],
] as const

export function Help({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Dialog title="Keys and words" isOpen={isOpen} onClose={onClose}>
      <div className="grid gap-6 sm:grid-cols-2">
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-sm">
          {KEYS.map(([key, text]) => (
            <div key={key} className="contents">
              <dt>
                <kbd className="rounded-md border border-line bg-sunk px-1.5 py-0.5 text-xs whitespace-nowrap">
                  {key}
                </kbd>
              </dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        <dl className="flex flex-col gap-2 text-sm">
          {WORDS.map(([word, text]) => (
            <div key={word}>
              <dt className="font-medium">{word}</dt>
              <dd className="text-soft">{text}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Dialog>
  )
}
