import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import process from 'node:process';
import { Stryker } from '@stryker-mutator/core';
import { shownChange } from './shownChange.js';
import { sourcePlace, type Place } from './sourcePlace.js';
import type { Target } from './targets.js';

type LogLevel = NonNullable<ConstructorParameters<typeof Stryker>[0]['logLevel']>;

/** A mutant that no spec has noticed. */
export interface Survivor {
  /** The source, from the root of the repository. */
  readonly file: string;
  readonly line: number;
  /** What was replaced, and by what, each in one line. */
  readonly change: string;
}

export interface Outcome {
  readonly killed: number;
  readonly survivors: readonly Survivor[];
}

/** A test that waits for what a mutant keeps from coming ends after this. */
const longestTestMs = 3_000;
/** A mutant that loops ends after this and one and a half times what the specs take. */
const longestRunMs = 10_000;

/**
 * Mutates the built files of a target in a copy of its package, one mutant at a time, and runs the specs for each. Rejects when they fail
 * without a mutant.
 */
export const mutateTarget = async ({ packageFolder, files, specs }: Target): Promise<Outcome> => {
  const mocha = ['node_modules/mocha/bin/mocha.js', '--no-config', '--bail', '--exit'];
  const hooks = './node_modules/@roomwire/testing/dist/src/run/mochaHooks.js';
  const built = specs.map((spec) => `${packageFolder}/dist/test/${spec}.unit.spec.js`);
  const command = ['node', ...mocha, '--require', hooks, '--timeout', `${longestTestMs}`, ...built].join(' ');
  const stryker = new Stryker({
    mutate: [`${packageFolder}/dist/src/${files}.js`],
    ignorePatterns: ['**', '!package.json', `!${packageFolder}/package.json`, `!${packageFolder}/dist/**`],
    testRunner: 'command',
    commandRunner: { command },
    concurrency: 1,
    timeoutMS: longestRunMs,
    reporters: ['progress'],
    plugins: [],
    logLevel: 'warn' as LogLevel,
    disableTypeChecks: false,
  });
  const mutants = await stryker.runMutationTest();
  const withStatus = (...statuses: readonly string[]) =>
    mutants.filter(({ status }) => statuses.includes(status));
  return {
    killed: withStatus('Killed', 'Timeout').length,
    survivors: withStatus('Survived', 'NoCoverage').map(({ fileName, location, replacement = '' }) => {
      const { file, line } = sourcePlace(fileName, location.start);
      const original = textBetween(readFileSync(fileName, 'utf8'), location.start, location.end);
      return {
        file: relative(process.cwd(), file),
        line,
        change: shownChange(original, replacement),
      };
    }),
  };
};

const textBetween = (text: string, from: Place, to: Place): string => {
  const lines = text.split('\n').slice(from.line - 1, to.line);
  lines.push((lines.pop() ?? '').slice(0, to.column - 1));
  return lines.join('\n').slice(from.column - 1);
};
