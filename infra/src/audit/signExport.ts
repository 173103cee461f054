import { auditKeyIdOf, isSignedText, publicKeyOf, signText } from '@roomwire/shared/credentials/auditKeys';
import type { AuditKeys } from '@roomwire/shared/credentials/auditKeys';
import type { ExportReport } from './exportLog.js';

/** Beside an export, so that its lines stay what their readers know. */
export interface ExportSignature extends ExportReport {
  readonly keyId: string;
  /** Ed25519, in base64. It proves something only to whoever knows from elsewhere whose it is. */
  readonly publicKey: string;
  readonly signature: string;
}

const signedText = ({ events, chain }: ExportReport): string => `roomwire export 1\n${events}\n${chain}`;

export const signExport = (
  report: ExportReport,
  { current }: Pick<AuditKeys, 'current'>,
): ExportSignature => ({
  ...report,
  keyId: auditKeyIdOf(current),
  publicKey: publicKeyOf(current),
  signature: signText(current, signedText(report)),
});

/** The public keys of all audit keys, the current one first. */
export const publicKeysOf = ({ current, previous }: AuditKeys): readonly string[] =>
  [current, ...previous].map(publicKeyOf);

/** What is wrong with a signature of an export that has been read; undefined for one of a trusted key. */
export const signatureFault = (
  report: ExportReport,
  found: Partial<ExportSignature>,
  trusted: readonly string[],
): string | undefined => {
  const { events, chain, publicKey = '', signature = '' } = found;
  if (!trusted.includes(publicKey)) return 'it is signed with another key';
  if (
    events === undefined ||
    chain === undefined ||
    !isSignedText(publicKey, signedText({ events, chain }), signature)
  )
    return 'its signature is not valid';
  return report.events === events && report.chain === chain
    ? undefined
    : 'it is not the export that was signed';
};
