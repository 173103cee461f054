/** What a shell learns of how a command ended. */
export const exitCodes = { failed: 1, misused: 2 } as const;

/** One line on standard error. */
export const say = (message: string): void => void process.stderr.write(`${message.replaceAll('\n', ' ')}\n`);

/** Ends the command with one line on standard error. */
export const fail = (message: string, code: number = exitCodes.failed): never => {
  say(message);
  process.exit(code);
};
