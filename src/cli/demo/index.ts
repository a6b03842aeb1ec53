// The demo: a scripted model, the story it tells, and the sample it works in.
export { writeDemoHome } from './demo-config.ts'
export { demoPlace, refuseForDemo, tellNext } from './demo-task.ts'
export { makeSample, samplesFolder } from './sample.ts'
export { openStage } from './stage.ts'
export { demoStory } from './story.ts'
