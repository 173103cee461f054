import streams from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { ServerReadableStream, sendUnaryData } from '@grpc/grpc-js';
import { constants } from 'node:http2';
import type { Faults } from './faults.js';
import {
  appendTooLarge,
  hungUp,
  metadataMissing,
  notImplemented,
  type ProposedEvent,
  statusOf,
  streamNameOf,
} from './responses.js';
import type { AppendOutcome, ExpectedRevision, Proposal, TransactionLog } from './transactionLog.js';

type AppendCall = ServerReadableStream<streams.AppendReq, streams.AppendResp>;

const { AppendResp } = streams;
const { ExpectedStreamRevisionCase } = streams.AppendReq.Options;

/** `MaxAppendSize` of a server that was not told otherwise. */
const appendLimit = 1024 * 1024;

export const handleAppend =
  (log: TransactionLog, faults: Faults) =>
  (call: AppendCall, answer: sendUnaryData<streams.AppendResp>): void => {
    const append = async (): Promise<streams.AppendResp> => {
      const proposal = proposalFrom(await received(call));
      faults.requireLeader(call);
      await faults.beforeAppend();
      const outcome = await log.append(proposal);
      await faults.beforeAnswer();
      return responseTo(proposal, outcome);
    };
    append().then(
      (response) => answer(null, response),
      (error: unknown) => answer(statusOf(error)),
    );
  };

/** All that the client has to say; rejects when it has hung up before the end. */
const received = (call: AppendCall): Promise<readonly streams.AppendReq[]> =>
  new Promise((resolve, reject) => {
    const requests: streams.AppendReq[] = [];
    call
      .on('data', (request: streams.AppendReq) => requests.push(request))
      .on('error', reject)
      .on('end', () => (isCutOff(call) ? reject(hungUp()) : resolve(requests)));
  });

/**
 * A call that the client has cancelled ends here like one that is complete, and only later is it said to be cancelled.
 * Taken for complete, it would be half an append. Just the HTTP/2 stream below knows.
 */
const isCutOff = (call: AppendCall): boolean => {
  const { stream } = (call as unknown as { call: { stream: { rstCode?: number } } }).call;
  return stream.rstCode !== undefined && stream.rstCode !== constants.NGHTTP2_NO_ERROR;
};

/** The first message says where to, each of the others is an event. */
const proposalFrom = (requests: readonly streams.AppendReq[]): Proposal => {
  const options = requests[0]?.getOptions();
  if (options === undefined) throw notImplemented('an append without options');
  const events = requests.slice(1).map((request) => proposedEvent(request.getProposedMessage()!));
  const size = events.reduce(
    (sum, { type, data, metadata }) => sum + 2 * type.length + data.length + metadata.length,
    0,
  );
  if (size > appendLimit) throw appendTooLarge(appendLimit);
  return { stream: streamNameOf(options.getStreamIdentifier()), expected: expectedRevision(options), events };
};

const proposedEvent = (message: streams.AppendReq.ProposedMessage): ProposedEvent => {
  const properties = message.getMetadataMap();
  const [type, contentType] = ['type', 'content-type'].map((name) => {
    const value = properties.get(name);
    if (value === undefined) throw metadataMissing(name);
    return value;
  });
  return {
    id: message.getId()!.getString().toLowerCase(),
    type: type!,
    contentType: contentType!,
    data: Buffer.from(message.getData_asU8()),
    metadata: Buffer.from(message.getCustomMetadata_asU8()),
  };
};

const expectedRevision = (options: streams.AppendReq.Options): ExpectedRevision => {
  switch (options.getExpectedStreamRevisionCase()) {
    case ExpectedStreamRevisionCase.REVISION:
      return Number(options.getRevision());
    case ExpectedStreamRevisionCase.NO_STREAM:
      return 'none';
    case ExpectedStreamRevisionCase.ANY:
      return 'any';
    case ExpectedStreamRevisionCase.STREAM_EXISTS:
      return 'exists';
    default:
      throw notImplemented('an append without an expected revision');
  }
};

const responseTo = ({ expected }: Proposal, outcome: AppendOutcome): streams.AppendResp =>
  'appended' in outcome
    ? new AppendResp().setSuccess(success(outcome.appended))
    : new AppendResp().setWrongExpectedVersion(wrongExpectedVersion(expected, outcome.conflict));

const success = (appended: { revision: number; position: bigint }): streams.AppendResp.Success => {
  const position = String(appended.position);
  return new AppendResp.Success()
    .setCurrentRevision(String(appended.revision))
    .setPosition(new AppendResp.Position().setCommitPosition(position).setPreparePosition(position));
};

const wrongExpectedVersion = (
  expected: ExpectedRevision,
  current: number | undefined,
): streams.AppendResp.WrongExpectedVersion => {
  const wrong = new AppendResp.WrongExpectedVersion();
  if (expected === 'none') wrong.setExpectedNoStream(new shared.Empty());
  else if (expected === 'any') wrong.setExpectedAny(new shared.Empty());
  else if (expected === 'exists') wrong.setExpectedStreamExists(new shared.Empty());
  else wrong.setExpectedRevision(String(expected));
  return current === undefined
    ? wrong.setCurrentNoStream(new shared.Empty())
    : wrong.setCurrentRevision(String(current));
};
