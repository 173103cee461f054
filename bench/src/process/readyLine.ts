import type { Child } from './children.js';

const patienceMs = 60_000;

/** What the first group of `pattern` matches in the standard output of a child, as soon as it is there. */
export const readyLine = (child: Child, pattern: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = '';
    const fail = (reason: string) => (): void => {
      clearTimeout(timer);
      reject(new Error(`${reason}: ${child.process.spawnargs.join(' ')}`));
    };
    const timer = setTimeout(fail('Not ready in time'), patienceMs);
    child.process.once('error', fail('Could not be started'));
    child.process.once('exit', fail('Ended before it was ready'));
    child.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = pattern.exec(output)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
  });
