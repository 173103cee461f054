import { readFileSync } from 'node:fs';
import {
  saslMechanisms,
  type KafkaSecurity,
} from '@roomwire/shared/adapters/message-bus/kafka/kafkaSecurity';
import type { VariableReader } from './variables.js';

/** Read at the start, so that a file that is not there stops it. */
export const readKafkaSecurity = (read: VariableReader, problems: string[]): KafkaSecurity => {
  const ca = readAuthorities(read, problems);
  const isByTls = read.flag('ROOMWIRE_KAFKA_TLS', ca !== undefined);
  const sasl = readSasl(read, problems);
  return { ...(isByTls ? { tls: { ca } } : {}), ...(sasl === undefined ? {} : { sasl }) };
};

const readAuthorities = (read: VariableReader, problems: string[]): string | undefined => {
  const file = read.text('ROOMWIRE_KAFKA_CA_FILE');
  try {
    return file === undefined ? undefined : readFileSync(file, 'utf8');
  } catch (error) {
    problems.push(`ROOMWIRE_KAFKA_CA_FILE cannot be read (${(error as NodeJS.ErrnoException).code})`);
    return undefined;
  }
};

const readSasl = (read: VariableReader, problems: string[]): KafkaSecurity['sasl'] => {
  const mechanism = read.oneOf('ROOMWIRE_KAFKA_SASL_MECHANISM', undefined, saslMechanisms);
  const username = read.text('ROOMWIRE_KAFKA_USERNAME');
  const password = read.text('ROOMWIRE_KAFKA_PASSWORD');
  if (mechanism !== undefined && username !== undefined && password !== undefined)
    return { mechanism, username, password };
  if (mechanism !== undefined || username !== undefined || password !== undefined)
    problems.push(
      'ROOMWIRE_KAFKA_SASL_MECHANISM, ROOMWIRE_KAFKA_USERNAME and ROOMWIRE_KAFKA_PASSWORD need one another',
    );
  return undefined;
};
