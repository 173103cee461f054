import { FieldError, Text } from 'react-aria-components';

interface FieldFootProps {
  readonly description: string | undefined;
  /** See `useFieldProblem`. */
  readonly problem: string | undefined;
}

/** What a field means, and what is wrong with what stands in it. */
export const FieldFoot = ({ description, problem }: FieldFootProps) => (
  <>
    {description !== undefined && (
      <Text slot="description" className="field-description">
        {description}
      </Text>
    )}
    <FieldError className="field-error">{problem}</FieldError>
  </>
);
