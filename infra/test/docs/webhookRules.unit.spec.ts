import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const packages = ['shared', 'command-api', 'projections', 'gateway', 'webhook-consumer', 'infra'];

const filesIn = (folder: string, ending: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));

const rulesIn = (text: string, pattern: RegExp): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(pattern), ([, rule = '']) => rule));

const textOf = (files: readonly string[]): string =>
  files.map((file) => readFileSync(file, 'utf8')).join('\n');

describe('the rules of docs/WEBHOOKS.md', () => {
  const rules = rulesIn(readFileSync(join(root, 'docs/WEBHOOKS.md'), 'utf8'), /\*\*(HOOK-[A-Z]+-\d+)\*\*/g);
  const specs = textOf(packages.flatMap((name) => filesIn(join(root, name, 'test'), '.spec.ts')));
  /** Of a suite or a test: a comment proves nothing. */
  const titles = Array.from(specs.matchAll(/\b(?:describe|it)\(\s*(['"`])(.*?)\1/gs), ([, , title]) => title);

  it('are each in the title of a test', () => {
    const cited = rulesIn(titles.join('\n'), /\[(HOOK-[A-Z]+-\d+)\]/g);
    expect([...rules].filter((rule) => !cited.has(rule))).to.eql([]);
    expect(rules.size).to.be.greaterThan(25);
  });

  it('are the only ones that code and tests cite', () => {
    const sources = packages.flatMap((name) => filesIn(join(root, name, 'src'), '.ts'));
    const cited = rulesIn(`${specs}\n${textOf(sources)}`, /\[(HOOK-[A-Z]+-\d+)\]/g);
    expect([...cited].filter((rule) => !rules.has(rule))).to.eql([]);
  });
});
