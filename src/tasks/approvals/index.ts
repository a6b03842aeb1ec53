// Questions of codex from the row that opens them to the one answer that settles them, and the rules asked first.
export { Approvals, type Verdict } from './approvals.ts'
export { checkRules } from './check-rules.ts'
export { RuleBook } from './rule-book.ts'
export { TaskQuestions } from './task-questions.ts'
