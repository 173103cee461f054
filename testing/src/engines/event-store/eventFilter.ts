import streams from '@eventstore/db-client/generated/streams_pb.js';
import { notImplemented, type StoredEvent } from './responses.js';

export type EventFilter = (event: StoredEvent) => boolean;

const { FilterCase } = streams.ReadReq.Options.FilterOptions;

export const eventFilter = (options: streams.ReadReq.Options.FilterOptions | undefined): EventFilter => {
  if (options === undefined) return () => true;
  if (options.getFilterCase() === FilterCase.STREAM_IDENTIFIER) {
    const matches = expression(options.getStreamIdentifier()!);
    return ({ stream }) => matches(stream);
  }
  if (options.getFilterCase() === FilterCase.EVENT_TYPE) {
    const matches = expression(options.getEventType()!);
    return ({ type }) => matches(type);
  }
  throw notImplemented('a filter by neither stream nor type');
};

const expression = (by: streams.ReadReq.Options.FilterOptions.Expression): ((name: string) => boolean) => {
  const regex = by.getRegex();
  if (regex !== '') {
    const pattern = new RegExp(regex, 'u');
    return (name) => pattern.test(name);
  }
  const prefixes = by.getPrefixList();
  return (name) => prefixes.some((prefix) => name.startsWith(prefix));
};
