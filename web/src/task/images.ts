// Images for the model, as data URLs: the service takes nothing else from a browser.
import { useState } from 'react'

const MAX_BYTES = 8_000_000
const MAX_IMAGES = 10

export interface AttachedImage {
  readonly name: string
  readonly url: string
}

export type Images = ReturnType<typeof useImages>

export function useImages() {
  const [images, setImages] = useState<readonly AttachedImage[]>([])
  const [problem, setProblem] = useState<string | null>(null)
  const add = async (files: Iterable<File>) => {
    const pictures = [...files].filter(({ type }) => type.startsWith('image/'))
    const fitting = pictures.filter(({ size }) => size <= MAX_BYTES)
    setProblem(
      fitting.length < pictures.length ? `Images may have ${MAX_BYTES / 1_000_000} MB at most.` : null,
    )
    const read = await Promise.all(
      fitting.map(async (file) => ({ name: file.name, url: await dataUrl(file) })),
    )
    setImages((before) => [...before, ...read].slice(0, MAX_IMAGES))
  }
  const remove = (image: AttachedImage) => setImages((before) => before.filter((other) => other !== image))
  const clear = () => setImages([])
  return { images, problem, add, remove, clear }
}

function dataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error('the image cannot be read'))
    reader.readAsDataURL(file)
  })
}
