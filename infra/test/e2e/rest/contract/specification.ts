import { readFileSync } from 'node:fs';

/** The tables and the messages of the REST API, word for word. */
const text = readFileSync(
  new URL('../../../../../test/fixtures/rest-specification.md', import.meta.url),
  'utf8',
);

const rows = text
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, first = '', second = '']) => [first, second] as const);

/** As `GET /apps/{appId}`. */
export const specifiedEndpoints: readonly string[] = rows
  .filter(([method]) => /^(?:GET|POST|PATCH|DELETE)$/.test(method))
  .map(([method, path]) => `${method} ${path}`);

/** As `403 plan app limit reached`: each thing for which a status is given. */
export const specifiedRefusals: readonly string[] = rows
  .filter(([status]) => /^4\d\d$/.test(status))
  .flatMap(([status, when]) => when.split(/[;,] (?:or )?/).map((clause) => `${status} ${clause}`));

/** Every message, with its placeholders. */
export const specifiedMessages: readonly string[] = text
  .split('\n')
  .filter((line) => /^Messages|^\d\. A key that|^\d\. Missing header|^\| Validation error/.test(line))
  .flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, quoted = '']) => quoted))
  .filter((quoted) => !['message', 'errors', '{ path, value, message }'].includes(quoted));
