/* The reset of a Cortex-M7 under qemu: floating point on, then the C library's own start. */
extern void _start(void);
extern char stack_top;

void reset(void);
void reset(void)
{
    *(volatile unsigned *)0xE000ED88 |= 0xFu << 20; /* CPACR: coprocessors 10 and 11 */
    __asm__ volatile("dsb\n\tisb");
    _start();
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {&stack_top, (const void *)reset};
