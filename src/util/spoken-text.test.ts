import { expect, it } from 'vitest'
import { spokenText } from './spoken-text.ts'

const MISSING = 'Missing bearer authentication in header'

it.each([
  ['{"error":{"message":"no such model"}}', 'no such model'],
  ['{"detail":"not allowed"}', 'not allowed'],
  ['{"error":"quota"}', 'quota'],
  ['{"code":7}', '{"code":7}'],
  ['{ broken', '{ broken'],
  ['plain words: {"a":1}', 'plain words: {"a":1}'],
  [
    `unexpected status 401 Unauthorized: {"error":{"message":"${MISSING}","code":null}}, url: https://api.openai.com/v1/responses, cf-ray: 8f-FRA, request id: req_1`,
    `${MISSING} (401 Unauthorized from api.openai.com)`,
  ],
  [
    `unexpected status 401 Unauthorized: ${MISSING}, url: http://127.0.0.1:41677/v1/responses`,
    `${MISSING} (401 Unauthorized from 127.0.0.1:41677)`,
  ],
  [
    'unexpected status 404 Not Found: {\n  "error": "nothing, here"\n}, url: https://x.example/v1',
    'nothing, here (404 Not Found from x.example)',
  ],
  ['unexpected status 503 Service Unavailable: busy, now', 'busy, now (503 Service Unavailable)'],
  [
    'unexpected status 403 Forbidden: , url: https://x.example/v1',
    'the model provider answered 403 Forbidden from x.example',
  ],
  ['unexpected status 599: odd', 'odd (599)'],
])('of %j people read %j', (message, text) => {
  expect(spokenText(message)).toBe(text)
})
