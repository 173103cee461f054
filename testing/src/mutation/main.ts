import { readFileSync } from 'node:fs';
import process from 'node:process';
import { acceptedIn, compare, rowFor, type Accepted } from './acceptedSurvivors.js';
import { mutateTarget } from './mutateTarget.js';
import { targets, type Target } from './targets.js';

const document = 'docs/MUTATION.md';

/** Percent of the mutants that nobody has accepted. */
const leastScore = 90;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const percent = (part: number, whole: number): string =>
  whole === 0 ? '100.0' : ((100 * part) / whole).toFixed(1);

/** Whether enough mutants were noticed. */
const run = async (target: Target, accepted: readonly Accepted[]): Promise<boolean> => {
  const from = performance.now();
  const { killed, survivors } = await mutateTarget(target);
  const { unexplained, stale } = compare(survivors, accepted.filter(isOf(target)));
  for (const survivor of unexplained) say(`  ${survivor.file}:${survivor.line}\n  ${rowFor(survivor)}`);
  for (const row of stale) say(`  no survivor any more:\n  ${rowFor(row)}`);
  const all = killed + survivors.length;
  const counted = killed + unexplained.length;
  const seconds = Math.round((performance.now() - from) / 1_000);
  const row = [`\`${target.name}\``, all, percent(killed, all), percent(killed, counted), `${seconds} s`];
  say(`| ${row.join(' | ')} |`);
  return killed >= (leastScore / 100) * counted;
};

const isOf =
  ({ packageFolder, files }: Target) =>
  ({ file }: Accepted): boolean =>
    new RegExp(`^${packageFolder}/src/${files.replaceAll('*', '[^/]*')}\\.ts$`).test(file);

const isNamed = ({ name }: Target, asked: string): boolean => name === asked || name.startsWith(`${asked}/`);

/** Exit code 0: every target has its score; 1: one has not; 2: there is no such target. */
const main = async (names: readonly string[]): Promise<number> => {
  if (!names.every((name) => targets.some((target) => isNamed(target, name)))) {
    say(`The targets are\n${targets.map(({ name }) => `  ${name}`).join('\n')}`);
    return 2;
  }
  const chosen = targets.filter(
    (target) => names.length === 0 || names.some((name) => isNamed(target, name)),
  );
  const accepted = acceptedIn(readFileSync(document, 'utf8'));
  let isGood = true;
  for (const target of chosen) isGood = (await run(target, accepted)) && isGood;
  if (!isGood) say(`Below ${leastScore} %: write the tests, or say in ${document} why a mutant is left.`);
  return isGood ? 0 : 1;
};

process.exitCode = await main(process.argv.slice(2));
