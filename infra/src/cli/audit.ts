import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Option, type Command } from 'commander';
import { changesOf } from '@roomwire/projections/projectors';
import { createDataHash } from '@roomwire/shared/credentials/eventProof';
import type { AuditKeys } from '@roomwire/shared/credentials/auditKeys';
import { createWinstonLogger } from '@roomwire/shared/adapters/system/winstonLogger';
import { createViewFold } from '@roomwire/shared/adapters/view-store/viewFold';
import { DataFolderInUse, EngineUnavailable } from '@roomwire/shared/ports/errors';
import { verifyChains, type ChainsReport, type Witness } from '../audit/verifyChains.js';
import { findAuditKeys, readJsonFile } from '../secrets/keptSecrets.js';
import { describeDifference, verifyViews } from '../audit/verifyViews.js';
import {
  comparedWithLog,
  exportFormats,
  type ExportFormat,
  exportLog,
  type ExportReport,
  type ExportVerdict,
  verifyExport,
} from '../audit/exportLog.js';
import { comparedWithProofs } from '../audit/exportProofs.js';
import { publicKeysOf, signatureFault, signExport, type ExportSignature } from '../audit/signExport.js';
import { openForAudit } from '../audit/openForAudit.js';
import { progressBar } from './progressBar.js';
import { ConfigError, readConfig, type Config } from '../config/config.js';
import type { Adapters } from '../engines/adapters.js';
import { exitCodes, fail } from './fail.js';

export const addAudit = (program: Command): void => {
  const audit = program.command('audit').description('read and check the history of the control plane');
  audit
    .command('export')
    .description('write the whole event log, each line with the hash of the chain up to it')
    .addOption(new Option('--format <format>', 'format of the lines').choices(exportFormats).default('jsonl'))
    .option(
      '--output <file>',
      'write to a new file, with the signature beside it, instead of standard output',
    )
    .action(exportHistory);
  audit
    .command('verify')
    .description('check the proofs of all events, and compare the read models with the event log')
    .option(
      '--export <file>',
      'instead check the chain and signature of an export, and that it matches the log',
    )
    .option('--public-key <key>', 'check an export with this key only, without the log')
    .addOption(
      new Option(
        '--witness <record>',
        'a record of heads that must be there, as the service has logged it: <revision>:<mac>',
      ).argParser(readWitness),
    )
    .action(verify);
  audit
    .command('public-key')
    .description('print the public keys that verify exports, current and earlier')
    .action(printPublicKeys);
};

const printPublicKeys = async (): Promise<void> => {
  const keys = await configuredAuditKeys();
  if (keys === undefined)
    return fail('There is no audit key: set ROOMWIRE_AUDIT_KEY or ROOMWIRE_MASTER_KEY', exitCodes.misused);
  process.stdout.write(`${publicKeysOf(keys).join('\n')}\n`);
};

const configuredAuditKeys = async (): Promise<AuditKeys | undefined> => {
  try {
    const config = readConfig(process.env);
    return await findAuditKeys(config, config.dataDir);
  } catch (error) {
    return failed(error);
  }
};

const readWitness = (text: string): Witness => {
  const [, revision = '', mac = ''] = /^(\d{1,15}):([\w-]{43})$/.exec(text) ?? [];
  if (mac === '') return fail('--witness takes <revision>:<mac>, as in the log', exitCodes.misused);
  return { revision: Number(revision), mac };
};

interface ExportOptions {
  readonly format: ExportFormat;
  readonly output?: string;
}

const exportHistory = async ({ format, output }: ExportOptions): Promise<void> => {
  const { report, keys } = await withEngines(async (adapters, config) => {
    const log = await adapters.log();
    const bar = progressBar('Exporting', await log.head(), process.stderr);
    const keys = await findAuditKeys(config, config.dataDir);
    const options = { onProgress: bar.show, hashOf: keys && createDataHash(keys) };
    const report = await written(output, (out) => exportLog(log, format, out, options));
    bar.end();
    return { report, keys };
  });
  const { events, chain } = report;
  process.stderr.write(`Exported ${events} events; the chain ends with ${chain}\n`);
  if (keys === undefined) return void process.stderr.write('It is not signed: there is no audit key\n');
  const signature = JSON.stringify(signExport(report, keys));
  process.stderr.write(`Signature: ${signature}\n`);
  if (output !== undefined)
    await writeFile(signatureFile(output), `${signature}\n`, { flag: 'wx', mode: 0o600 });
};

const signatureFile = (file: string): string => `${file}.sig`;

const written = async (
  file: string | undefined,
  write: (out: Writable) => Promise<ExportReport>,
): Promise<ExportReport> => {
  if (file === undefined) return write(process.stdout);
  // What it holds is for its owner; a file that is there is never written over.
  const out = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  const ended = finished(out);
  const report = await Promise.race([
    write(out),
    ended.then(() => Promise.reject(new Error('Closed early'))),
  ]);
  out.end();
  await ended;
  return report;
};

interface VerifyOptions {
  readonly export?: string;
  readonly publicKey?: string;
  readonly witness?: Witness;
}

const verify = async ({ export: file, publicKey, witness }: VerifyOptions): Promise<void> => {
  if (file === undefined && publicKey !== undefined) fail('--public-key needs --export', exitCodes.misused);
  if (file === undefined) return verifyLog(witness);
  return publicKey === undefined ? verifyFile(file) : verifySignedFile(file, publicKey);
};

const verifyLog = async (witness: Witness | undefined): Promise<void> => {
  const { chains, views } = await withEngines(async (adapters, config) => {
    const [log, readModels] = [await adapters.log(), await adapters.views()];
    const keys = await findAuditKeys(config, config.dataDir);
    const head = await log.head();
    const checking = progressBar('Checking proofs', head, process.stderr);
    const found = await verifyChains({ log, keys, witness, onProgress: checking.show });
    checking.end();
    const folding = progressBar('Folding', head, process.stderr);
    const createFold = () => createViewFold(changesOf);
    const report = await verifyViews({ log, views: readModels, createFold, onProgress: folding.show });
    folding.end();
    return { chains: found, views: report };
  });
  const { differences, documents, events, checkpoint } = views;
  for (const finding of chains.findings.slice(0, mostShown)) process.stdout.write(`${finding}\n`);
  for (const difference of differences) process.stdout.write(`${describeDifference(difference)}\n`);
  const compared = `${documents} records of ${events} events`;
  const wrong = [
    ...(chains.findings.length > 0
      ? [`${chains.findings.length} findings in the chains of ${chains.events} events`]
      : []),
    ...(checkpoint === undefined
      ? ['There are no read models of this version: start Roomwire, which makes them']
      : []),
    ...(differences.length > 0 ? [`${differences.length} differences in ${compared}`] : []),
  ];
  if (wrong.length > 0) fail(wrong.join('; '));
  process.stdout.write(`${describeChains(chains)}\n`);
  process.stdout.write(`The read models say what the log says: ${compared}\n`);
};

const mostShown = 1_000;

const describeChains = ({ events, unproven, streams, lastRecord, unrecorded }: ChainsReport): string => {
  const older = unproven > 0 ? `, of which ${unproven} older ones have no proof` : '';
  const heads =
    lastRecord === undefined
      ? 'their heads are not recorded yet'
      : `their heads are recorded up to ${lastRecord.revision}:${lastRecord.mac}`;
  const later = unrecorded > 0 && lastRecord ? `, except ${unrecorded} later events` : '';
  return `The chains are whole: ${events} events of ${streams} streams${older}; ${heads}${later}`;
};

const verifyFile = async (file: string): Promise<void> => {
  const { verdict, keys } = await withEngines(async (adapters, config) => {
    const keys = await findAuditKeys(config, config.dataDir);
    const comparison = comparedWithLog(await adapters.log(), keys && createDataHash(keys));
    return { verdict: await verifyExport(file, comparison), keys };
  });
  const { events, chain } = verdict;
  requireSound(file, verdict);
  const signature = await readJsonFile<ExportSignature>(signatureFile(file));
  const fault = signature && keys && signatureFault(verdict, signature, publicKeysOf(keys));
  if (fault !== undefined) fail(`${file}: ${fault}`);
  const signed = signature && keys ? 'signed' : 'not signed';
  process.stdout.write(
    `${file} is whole and ${signed}: ${events} events, as the log has them; the chain ends with ${chain}\n`,
  );
};

const requireSound = (file: string, { events, fault }: ExportVerdict): void => {
  if (fault !== undefined) fail(`${file}: ${fault}; the ${events} events before it are sound`);
};

/** For whoever has an export and no access to the log; with an audit key also the proofs of its events. */
const verifySignedFile = async (file: string, publicKey: string): Promise<void> => {
  const keys = await configuredAuditKeys();
  const proofs = comparedWithProofs(keys);
  const verdict = await verifyExport(file, proofs).catch(failed);
  requireSound(file, verdict);
  const signature = await readJsonFile<ExportSignature>(signatureFile(file)).catch(failed);
  if (signature === undefined) return fail(`${file}: it is not signed: there is no ${signatureFile(file)}`);
  const fault = signatureFault(verdict, signature, [publicKey]);
  if (fault !== undefined) fail(`${file}: ${fault}`);
  const { findings, events, unproven } = proofs.report();
  for (const finding of findings.slice(0, mostShown)) process.stdout.write(`${finding}\n`);
  if (findings.length > 0) fail(`${file}: ${findings.length} findings in the chains of ${events} events`);
  const proven = events > 0 ? `; the proofs of ${events - unproven} of them are valid` : '';
  process.stdout.write(
    `${file} is whole and signed: ${verdict.events} events${proven}; the chain ends with ${verdict.chain}\n`,
  );
};

const withEngines = async <T>(use: (adapters: Adapters, config: Config) => Promise<T>): Promise<T> => {
  try {
    const config = readConfig(process.env);
    return await openForAudit(config, createWinstonLogger(config.logLevel), (adapters) =>
      use(adapters, config),
    );
  } catch (error) {
    return failed(error);
  }
};

const failed = (error: unknown): never => {
  if (error instanceof ConfigError) return fail(error.message, exitCodes.misused);
  if (error instanceof DataFolderInUse)
    return fail(
      `${error.message}: stop Roomwire for it, or use a copy of the folder that was made while it was stopped`,
    );
  if (error instanceof EngineUnavailable) return fail(error.message);
  return fail(`The audit failed: ${(error as Error).message}`);
};
