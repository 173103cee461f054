import type { Command } from 'commander';
import { firstSession } from '../standalone/firstSession.js';
import { startStandalone, type Standalone } from '../standalone/standalone.js';
import { serve } from './serve.js';

export const addStart = (program: Command): void => {
  program
    .command('start')
    .description('run the whole service in this process, on files unless engines are configured (ROOMWIRE_…)')
    .action(async () => {
      process.stdout.write(greeting(await serve(startStandalone)));
    });
};

const greeting = ({ baseUrl, credentialsFile, firstCredentials }: Standalone): string => {
  if (credentialsFile === undefined) return `Roomwire is ready on ${baseUrl}\n`;
  return firstCredentials === undefined
    ? `Roomwire is ready on ${baseUrl}; the first credentials are in ${credentialsFile}\n`
    : `${firstSession(baseUrl, credentialsFile, firstCredentials)}\nRoomwire is ready on ${baseUrl}\n`;
};
