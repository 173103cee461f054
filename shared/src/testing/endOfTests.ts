import process from 'node:process';

const graceMs = 10_000;

/** Mocha's own hooks: a process that something keeps open after the last test says what it is, and ends with their result. */
export const mochaHooks = {
  afterAll(): void {
    setTimeout(() => {
      const open = process.getActiveResourcesInfo().join(', ');
      process.stderr.write(`The tests have ended and left open: ${open}\n`);
      process.exit();
    }, graceMs).unref();
  },
};
