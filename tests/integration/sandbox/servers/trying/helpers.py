WORD = "a module beside the server"
