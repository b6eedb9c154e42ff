WORD = "module in the server's directory"
