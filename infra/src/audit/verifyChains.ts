import { setImmediate } from 'node:timers/promises';
import type { AuditKeys } from '@roomwire/shared/credentials/auditKeys';
import {
  createProofCheck,
  type CheckProof,
  type ProvenContent,
} from '@roomwire/shared/credentials/eventProof';
import { auditHeadsStream, type AuditHead, type AuditHeadsRecord } from '@roomwire/shared/domain/auditHeads';
import type { EventProof, RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import { upTo, type OnProgress } from './upTo.js';

/** A record of heads that some other place has kept, such as a line of the service's log. */
export interface Witness {
  readonly revision: number;
  readonly mac: string;
}

export interface ChainsReport {
  readonly events: number;
  /** Of before there were proofs. */
  readonly unproven: number;
  readonly streams: number;
  /** Sentences for people. */
  readonly findings: readonly string[];
  /** The last record of heads. */
  readonly lastRecord: Witness | undefined;
  /** Proven events that no record of heads covers yet. */
  readonly unrecorded: number;
}

export interface VerifyChainsDeps {
  readonly log: EventLog;
  /** Undefined where none are configured: an event with a proof is then a finding. */
  readonly keys: AuditKeys | undefined;
  readonly witness?: Witness | undefined;
  readonly onProgress?: OnProgress;
}

/** Reads the whole log once and checks every proof, every record of heads, and that none is missing. Memory holds a line for each stream. */
export const verifyChains = async ({
  log,
  keys,
  witness,
  onProgress,
}: VerifyChainsDeps): Promise<ChainsReport> => {
  const chains = new Chains(keys && createProofCheck(keys), witness);
  let events = 0;
  for await (const batch of upTo(log, await log.head())) {
    for (const event of batch) {
      chains.add(event);
      if (event.stream === auditHeadsStream) chains.addRecord(event);
    }
    events += batch.length;
    onProgress?.(events, batch.at(-1)?.position ?? '');
    await setImmediate();
  }
  return chains.report();
};

/** Where an event stands and what its proof is over. */
export interface ProvenEvent extends ProvenContent, Pick<RecordedEvent, 'stream' | 'revision'> {}

interface Chain {
  revision: number;
  mac: string | null;
  /** Revision of the first event with a proof, undefined while there is none. */
  provenFrom: number | undefined;
  /** MACs of the last events, the newest last: those that no record of heads covers. */
  unrecorded: (string | null)[];
}

/** The chains of a log, event by event in its order. */
export class Chains {
  private readonly check: CheckProof | undefined;
  private readonly witness: Witness | undefined;
  private readonly chains = new Map<string, Chain>();
  private readonly findings: string[] = [];
  private readonly withoutKey = new Map<string, number>();
  private events = 0;
  private unproven = 0;
  private isWitnessFound = false;

  constructor(check: CheckProof | undefined, witness?: Witness) {
    this.check = check;
    this.witness = witness;
  }

  add(event: ProvenEvent): void {
    const { stream, revision, metadata } = event;
    const proof = proofOf(metadata);
    this.events += 1;
    const chain = this.chains.get(stream) ?? newChain();
    this.chains.set(stream, chain);
    const isNext = this.isNext(chain, event);
    if (proof === undefined) {
      this.unproven += 1;
      if (chain.mac !== null) this.find(event, 'has no proof, though the event before it has one');
    } else if (isNext) this.checkProof(event, proof, chain);
    chain.revision = revision;
    chain.mac = proof?.mac ?? null;
    if (proof) chain.provenFrom ??= revision;
    if (chain.provenFrom !== undefined) chain.unrecorded.push(chain.mac);
    if (stream === auditHeadsStream && this.witness?.revision === revision) this.meetWitness(event);
  }

  private isNext({ revision: last }: Chain, event: ProvenEvent): boolean {
    const { revision, stream } = event;
    if (revision === last + 1) return true;
    if (revision <= last) this.find(event, `stands behind event ${last} of its stream`);
    else if (revision === last + 2) this.findings.push(`Event ${last + 1} of ${stream} is missing`);
    else this.findings.push(`Events ${last + 1} to ${revision - 1} of ${stream} are missing`);
    return false;
  }

  private checkProof(event: ProvenEvent, proof: EventProof, { mac: previous }: Chain): void {
    const { stream, revision } = event;
    const verdict = this.check?.(event, proof, { stream, revision, previous }) ?? 'unknown key';
    if (verdict === 'not authentic')
      this.find(event, 'is not what was appended there, or does not follow what stands before it');
    else if (verdict === 'unknown key')
      this.withoutKey.set(proof.keyId, (this.withoutKey.get(proof.keyId) ?? 0) + 1);
  }

  private meetWitness(event: ProvenEvent): void {
    this.isWitnessFound = true;
    if (event.metadata.proof?.mac !== this.witness?.mac) this.find(event, 'is not the one of the witness');
  }

  addRecord({ revision, data }: Pick<RecordedEvent, 'revision' | 'data'>): void {
    const { heads } = data as Partial<AuditHeadsRecord>;
    for (const head of Array.isArray(heads) ? (heads as AuditHead[]) : []) this.compare(head, revision);
    // The records are a chain of their own.
    const own = this.chains.get(auditHeadsStream);
    if (own) own.unrecorded = [];
  }

  private compare({ stream, revision, mac }: AuditHead, record: number): void {
    const chain = this.chains.get(stream);
    const told = `by record ${record} of the heads, event ${revision} of ${stream}`;
    if (chain === undefined || chain.revision < revision) {
      this.findings.push(`Cut off: ${told} was there`);
      return;
    }
    const behind = chain.revision - revision;
    const found = chain.unrecorded.at(-1 - behind);
    if (chain.provenFrom === undefined || chain.provenFrom > revision || found !== mac)
      this.findings.push(`Rewritten: ${told} had another proof`);
    chain.unrecorded = behind === 0 ? [] : chain.unrecorded.slice(-behind);
  }

  private find({ stream, revision, type }: ProvenEvent, what: string): void {
    this.findings.push(`Event ${revision} of ${stream}, ${type}, ${what}`);
  }

  report(): ChainsReport {
    const own = this.chains.get(auditHeadsStream);
    const keyless = Array.from(
      this.withoutKey,
      ([keyId, count]) => `${count} events are proven under the audit key ${keyId}, which is not configured`,
    );
    const unmet =
      this.witness && !this.isWitnessFound
        ? [`Cut off: the witness knows record ${this.witness.revision} of the heads, which is not there`]
        : [];
    let unrecorded = 0;
    for (const { unrecorded: macs } of this.chains.values()) unrecorded += macs.length;
    return {
      ...{ events: this.events, unproven: this.unproven, streams: this.chains.size, unrecorded },
      findings: [...this.findings, ...keyless, ...unmet],
      lastRecord: own?.mac ? { revision: own.revision, mac: own.mac } : undefined,
    };
  }
}

/** Whatever an event holds in its place. */
const proofOf = ({ proof }: ProvenEvent['metadata']): EventProof | undefined =>
  typeof proof?.mac === 'string' && typeof proof.keyId === 'string' ? proof : undefined;

const newChain = (): Chain => ({ revision: -1, mac: null, provenFrom: undefined, unrecorded: [] });
