import { lazy, Suspense, useEffect } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { useConnection } from './api/connection.ts'
import { followAll } from './api/live.ts'
import { useStatus } from './api/queries.ts'
import { queryClient } from './api/query-client.ts'
import { ApprovalPage } from './inbox/approval-page.tsx'
import { InboxPage } from './inbox/inbox-page.tsx'
import { LoginPage } from './shell/login-page.tsx'
import { Shell } from './shell/shell.tsx'
import { TasksPage } from './tasks/tasks-page.tsx'
import { Empty } from './ui/panel.tsx'

const TaskPage = lazy(() => import('./task/task-page.tsx').then((room) => ({ default: room.TaskPage })))
const NewTaskPage = lazy(() =>
  import('./new-task/new-task-page.tsx').then((room) => ({ default: room.NewTaskPage })),
)
const RulesPage = lazy(() => import('./rules/rules-page.tsx').then((room) => ({ default: room.RulesPage })))
const SystemPage = lazy(() =>
  import('./system/system-page.tsx').then((room) => ({ default: room.SystemPage })),
)

export function App() {
  const { isUnauthorized } = useConnection()
  useStatus()
  useEffect(() => (isUnauthorized ? undefined : followAll(queryClient)), [isUnauthorized])
  if (isUnauthorized) return <LoginPage />
  return (
    <Shell>
      <Suspense fallback={null}>
        <Switch>
          <Route path="/">
            <Redirect to="/inbox" />
          </Route>
          <Route path="/inbox" component={InboxPage} />
          <Route path="/approvals/:id">{({ id }) => <ApprovalPage key={id} id={id} />}</Route>
          <Route path="/tasks" component={TasksPage} />
          <Route path="/tasks/:id">{({ id }) => <TaskPage key={id} id={id} />}</Route>
          <Route path="/new" component={NewTaskPage} />
          <Route path="/rules" component={RulesPage} />
          <Route path="/system" component={SystemPage} />
          <Route>
            <Empty title="There is nothing here">The address leads nowhere in the console.</Empty>
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  )
}
