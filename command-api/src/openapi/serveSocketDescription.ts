import type { RequestHandler } from 'express';
import { describeAsyncApi } from '@roomwire/shared/wire/asyncapi/describeAsyncApi';

/** Answers with the AsyncAPI description of the socket and of the topics on Kafka. */
export const serveSocketDescription = (): RequestHandler => {
  let written: string | undefined;
  return (_request, response) => {
    written ??= JSON.stringify(describeAsyncApi());
    response.type('application/json').send(written);
  };
};
