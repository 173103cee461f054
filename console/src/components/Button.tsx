import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'isPending'> {
  readonly look?: 'primary' | 'secondary' | 'quiet' | 'danger';
  readonly className?: string;
  /** What it does is under way: it keeps the focus, and does nothing. */
  readonly isPending?: boolean;
}

export const Button = ({
  look = 'secondary',
  className = '',
  isPending = false,
  onPress,
  ...props
}: ButtonProps) => (
  <AriaButton
    {...props}
    {...(isPending ? { 'data-pending': true } : onPress === undefined ? {} : { onPress })}
    className={`button ${look} ${className}`}
  />
);
