import type { AuditKeys } from '@roomwire/shared/credentials/auditKeys';
import { createProofCheck } from '@roomwire/shared/credentials/eventProof';
import { auditHeadsStream } from '@roomwire/shared/domain/auditHeads';
import { exportLayouts, type ExportComparison } from './exportLog.js';
import { Chains, type ChainsReport, type ProvenEvent } from './verifyChains.js';

/** Checks the proofs in the lines of an export. Without keys, and in an export as CSV, there is nothing to check. */
export const comparedWithProofs = (
  keys: AuditKeys | undefined,
): ExportComparison & { report(): ChainsReport } => {
  const chains = new Chains(keys && createProofCheck(keys));
  return {
    async line(line, lineNumber, layout) {
      if (keys === undefined || layout !== exportLayouts.jsonl) return undefined;
      const event = provenLine(line);
      if (event === undefined) return `line ${lineNumber} is no event`;
      chains.add(event);
      if (event.stream === auditHeadsStream) chains.addRecord(event);
      return undefined;
    },
    report: () => chains.report(),
  };
};

/** A line of JSON as the event that it was made of, for a check of its proof; undefined for a line that is none. */
const provenLine = (line: string): ProvenEvent | undefined => {
  const parsed = JSON.parse(line) as ProvenEvent;
  return typeof parsed.metadata === 'object' && typeof parsed.stream === 'string' ? parsed : undefined;
};
