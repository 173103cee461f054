import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const packages = [
  'shared',
  'command-api',
  'projections',
  'gateway',
  'webhook-consumer',
  'analytics',
  'sdk',
  'infra',
];
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** What is to be found in each, at least. */
const documents = [
  ['docs/PROTOCOL.md', 'WS', 20],
  ['docs/PROTOCOL.md', 'HTTP', 10],
  ['docs/WEBHOOKS.md', 'HOOK', 20],
] as const;

/** The rules that a text names in one way or another. */
const named = (text: string, area: string, pattern: (rule: string) => string): readonly string[] =>
  [...text.matchAll(new RegExp(pattern(`(${area}-[A-Z]+-\\d+)`), 'g'))].map(([, rule = '']) => rule);

/** Paths of TypeScript files. */
const sources = (folder: 'src' | 'test'): readonly string[] =>
  packages.flatMap((name) =>
    readdirSync(join(root, name, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(name, folder, path)),
  );

/** What suites and tests are called, and nothing else that is in a file. */
const titlesIn = (text: string): string =>
  [...text.matchAll(/\b(?:describe|it)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g)]
    .map(([, , title]) => title)
    .join('\n');

const citedIn = (test: string, area: string): readonly string[] =>
  named(titlesIn(read(test)), area, (rule) => `\\[${rule}\\]`);

/** In `npm run test:engines`; the tests on files are in `npm test`. */
const runsOnEngines = (test: string): boolean =>
  test.endsWith('.int.spec.ts') || (test.endsWith('.e2e.spec.ts') && !test.includes('e2e/service/'));

/** What is sent, and to which endpoint, on any storage of the calls; what a request says, before anything is published. */
const beforeAnyEngine: Readonly<Record<(typeof documents)[number][1], readonly string[]>> = {
  WS: [],
  HTTP: [],
  HOOK: [
    ...['HOOK-BODY-2', 'HOOK-CALL-1', 'HOOK-SSRF-2', 'HOOK-SSRF-3', 'HOOK-SSRF-4', 'HOOK-PROXY-1'],
    ...['HOOK-ISOLATION-2', 'HOOK-ISOLATION-4', 'HOOK-EVENT-8'],
  ],
};

for (const [path, area, fewest] of documents) {
  describe(`the rules of ${path}, ${area}`, () => {
    const rules = named(read(path), area, (rule) => `\\*\\*${rule}\\*\\*`);
    const tests = sources('test');

    it('appear once each in the document', () => {
      expect(rules).to.have.length.at.least(fewest);
      expect(rules.filter((rule, index) => rules.indexOf(rule) !== index)).to.eql([]);
    });

    it('have a test each whose title cites them', () => {
      const cited = new Set(tests.flatMap((test) => citedIn(test, area)));
      expect(rules.filter((rule) => !cited.has(rule))).to.eql([]);
    });

    it('have a test that runs on either profile', () => {
      const cited = new Set(tests.filter(runsOnEngines).flatMap((test) => citedIn(test, area)));
      expect(rules.filter((rule) => !cited.has(rule))).to.eql(beforeAnyEngine[area]);
    });

    it('are the only ones that code, tests and documents cite', () => {
      const known = new Set(rules);
      const decisions = readdirSync(join(root, 'docs/decisions')).map((name) => join('docs/decisions', name));
      const citing = [...sources('src'), ...tests, ...decisions, ...documents.map(([document]) => document)];
      const unknown = citing.flatMap((file) =>
        named(read(file), area, (rule) => `\\b${rule}\\b`)
          .filter((rule) => !known.has(rule))
          .map((rule) => `${file}: ${rule}`),
      );
      expect(unknown).to.eql([]);
    });
  });
}
