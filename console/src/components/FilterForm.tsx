import { useEffect, useState, type ReactNode } from 'react';
import { Form } from 'react-aria-components';
import { ApiFailure } from '../api/failure.js';
import type { Filters } from '../app/useFilters.js';
import { Button } from './Button.js';

/** For a field, which shows what is asked for until something else is entered. */
interface FieldState<Name extends string> {
  readonly name: Name;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

interface FilterFormProps<Name extends string> {
  /** What is looked for: `Find changes`. */
  readonly label: string;
  readonly filters: Filters<Name>;
  /** Text of the button. */
  readonly submit?: string;
  /** The refusal of what is asked for: its problems show at their fields. */
  readonly error?: Error | null;
  /** Asks the same once more. */
  readonly askAgain: () => unknown;
  readonly children: (field: (name: Name) => FieldState<Name>) => ReactNode;
}

/** Fields by which a page finds what it shows. */
export const FilterForm = <Name extends string>(props: FilterFormProps<Name>) => {
  const { label, filters, submit = 'Show', error, askAgain, children } = props;
  const { asked, ask, clear } = filters;
  const [values, setValues] = useState(asked);
  useEffect(() => setValues(asked), [asked]);
  const isEmpty = Object.values(asked).every((value) => value === '');
  return (
    <Form
      aria-label={label}
      className="filter-form"
      validationErrors={problemsOf(error)}
      onSubmit={(event) => {
        event.preventDefault();
        if (isSame(values, asked)) void askAgain();
        else ask(trimmed(values));
      }}
    >
      <div className="filter-fields">
        {children((name) => ({
          name,
          value: values[name],
          onChange: (value) => setValues((before) => ({ ...before, [name]: value })),
        }))}
      </div>
      <div className="form-actions">
        <Button type="submit" look="primary">
          {submit}
        </Button>
        {!isEmpty && (
          <Button look="quiet" onPress={clear}>
            Clear
          </Button>
        )}
      </div>
    </Form>
  );
};

const trimmed = <Name extends string>(values: Readonly<Record<Name, string>>): Record<Name, string> =>
  Object.fromEntries(Object.entries<string>(values).map(([name, value]) => [name, value.trim()])) as Record<
    Name,
    string
  >;

const isSame = <Name extends string>(
  values: Readonly<Record<Name, string>>,
  asked: Readonly<Record<Name, string>>,
): boolean => Object.entries<string>(trimmed(values)).every(([name, value]) => value === asked[name as Name]);

const problemsOf = (error: Error | null | undefined): Record<string, string> =>
  error instanceof ApiFailure
    ? Object.fromEntries(error.problems.map(({ path, message }) => [path, message]))
    : {};
