    (void)ended;
    (void)missed;
    (void)begun;