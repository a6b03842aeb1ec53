// Commands for the files of a task: what is in its folder, and what it is given.
import type { Command } from 'commander'
import { addExamples } from '../help/index.ts'
import type { Surroundings } from '../process/index.ts'
import { acting, addServiceOptions } from '../service/index.ts'
import type { DownloadFlags, FilesFlags, UploadFlags } from './file-acts.ts'

const ID = 'its id, or enough of the beginning or end'
const IN_UPLOADS = 'what the task was given, instead of the folder it works in'

export function addTaskFiles(task: Command, surroundings: Surroundings): void {
  const files = task
    .command('files')
    .summary('what is in the folder of a task')
    .description('Lists a folder of a task, without the folders below.')
    .argument('<task>', ID)
    .argument('[path]', 'a folder in it', '')
    .option('--uploads', IN_UPLOADS)
  addServiceOptions(files).action(
    acting(surroundings, async (given: string, path: string, flags: FilesFlags) =>
      (await import('./file-acts.ts')).listFiles(given, path, { flags, surroundings }),
    ),
  )
  addExamples(files, ['drawbridge task files 5f3a91c2', 'drawbridge task files 5f3a91c2 src/api'])
  const download = task
    .command('download')
    .summary('copy a file from the folder of a task')
    .description('Copies a file from the folder of a task to this machine.')
    .argument('<task>', ID)
    .argument('<path>', 'the file, relative to the folder of the task')
    .option('-o, --output <file>', 'where to; - is standard output (default: its name, here)')
    .option('--force', 'also over a file that is there')
    .option('--uploads', IN_UPLOADS)
  addServiceOptions(download).action(
    acting(surroundings, async (given: string, path: string, flags: DownloadFlags) =>
      (await import('./file-acts.ts')).downloadFile(given, path, { flags, surroundings }),
    ),
  )
  addExamples(
    download,
    [
      'drawbridge task download 5f3a91c2 report.pdf',
      'drawbridge task download 5f3a91c2 build.log -o - | less',
    ],
    '\nOnly what is in that folder, wherever links lead, and never logins.',
  )
  const upload = task
    .command('upload')
    .summary('give a task files')
    .description('Gives a task files. The model is told where they are with the next message.')
    .argument('<task>', ID)
    .argument('<file...>', 'files of this machine')
  addServiceOptions(upload).action(
    acting(surroundings, async (given: string, paths: string[], flags: UploadFlags) =>
      (await import('./file-acts.ts')).uploadFiles(given, paths, { flags, surroundings }),
    ),
  )
  addExamples(
    upload,
    [
      'drawbridge task upload 5f3a91c2 data.csv photo.png',
      ['drawbridge task send 5f3a91c2 "Summarise data.csv"', 'tells it of them'],
    ],
    '\nThey are kept outside of the repository, and removed with the task.',
  )
}
