import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import type { Done, Guide } from './guide.js';

/** A program of a guide that goes on, with the lines that it has printed. */
export interface Started {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
}

export const startIn = (guide: Guide, ...command: readonly string[]): Started => {
  const child = guide.start(process.execPath, ...command);
  const lines: string[] = [];
  createInterface(child.stdout as NodeJS.ReadableStream).on('line', (line) => lines.push(line));
  child.stderr?.pipe(process.stderr);
  return { child, lines };
};

export const outputOf = ({ code, stdout, stderr }: Done): string => {
  expect(code, stderr).to.equal(0);
  return stdout.trim();
};
