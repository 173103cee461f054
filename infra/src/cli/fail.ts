/** What a shell learns of how a command ended. */
export const exitCodes = { failed: 1, misused: 2 } as const;

/** Ends the command with one line on standard error. */
export const fail = (message: string, code: number = exitCodes.failed): never => {
  process.stderr.write(`${message.replaceAll('\n', ' ')}\n`);
  process.exit(code);
};
